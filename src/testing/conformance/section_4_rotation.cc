// Section 4: the rotation.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

using Events = std::vector<std::string>;

ConformanceCases cases;

FAIRLANE_CASE(GroupsNeverClaimedComeFirstByAge) {
  publish("b", "b1");
  publish("c", "c1");
  publish("a", "a1");
  EXPECT_EQ(claimed_events(), (Events{"b1", "c1", "a1"}));
}

FAIRLANE_CASE(AGroupJustClaimedYieldsToAllThatWereClaimedLongerAgo) {
  for (const char* event : {"1", "2", "3"}) {
    publish("a", std::string("a") + event);
    publish("b", std::string("b") + event);
  }
  Events events;
  for (int i = 0; i < 6; ++i) {
    advance(1s);
    const auto lease = take();
    events.push_back(lease.event());
    EXPECT_EQ(store().ack(lease), Settled::done);
  }
  EXPECT_EQ(events, (Events{"a1", "b1", "a2", "b2", "a3", "b3"}));
}

FAIRLANE_CASE(EqualInstantsFallBackToTheSeqOfTheHead) {
  publish("a", "a1");
  publish("a", "a2");
  publish("b", "b3");
  publish("b", "b4");
  const auto a = take();
  const auto b = take();
  EXPECT_EQ(store().ack(b), Settled::done);
  EXPECT_EQ(store().ack(a), Settled::done);
  EXPECT_EQ(claimed_events(), (Events{"a2", "b4"}));
}

FAIRLANE_CASE(WithAStandingClockTheHeadsSeqAloneDecides) {
  publish("a", "a1");
  publish("a", "a2");
  publish("b", "b3");
  advance(1s);
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(claimed_events(), (Events{"b3", "a2"}));
}

FAIRLANE_CASE(ADrainedAndRefilledGroupCountsAsNeverClaimed) {
  publish("busy", "busy1");
  publish("backlog", "backlog1");
  publish("backlog", "backlog2");
  advance(1s);
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(store().ack(take()), Settled::done);
  publish("busy", "busy2");
  EXPECT_EQ(claimed_event(), "busy2");
}

FAIRLANE_CASE(ReadyOrderJoinsTheEndWhenActiveAndAgainEachTimeClaimed) {
  open({.rotation = Rotation::ready_order});
  publish("a", "a1");
  publish("a", "a2");
  publish("b", "b1");
  EXPECT_EQ(store().ack(take()), Settled::done);
  publish("c", "c1");
  EXPECT_EQ(claimed_events(), (Events{"b1", "a2", "c1"}));
}

FAIRLANE_CASE(ReadyOrderLooksAtNoClock) {
  open({.rotation = Rotation::ready_order});
  publish("a", "a1");
  publish("b", "b1");
  EXPECT_EQ(store().nack(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "b1");
  EXPECT_EQ(claimed_event(), "a1");
}

FAIRLANE_CASE(ReadyOrderLetsNoBusyGroupOvertakeABacklog) {
  open({.rotation = Rotation::ready_order});
  publish("busy", "busy");
  for (int i = 0; i < 5; ++i) publish("backlog", "backlog");
  std::size_t backlog = 0;
  for (int i = 0; i < 10; ++i) {
    advance(1s);
    const auto lease = take();
    backlog += lease.group_id() == "backlog" ? 1u : 0u;
    EXPECT_EQ(store().ack(lease), Settled::done);
    if (lease.group_id() == "busy") publish("busy", "busy");
  }
  EXPECT_EQ(backlog, 5u);
}

FAIRLANE_CASE(ReadyOrderKeepsThePlaceOfAReleasedGroupAndOfAnExpiredLease) {
  open({.rotation = Rotation::ready_order});
  publish("a", "a1");
  publish("b", "b1");
  publish("c", "c1");
  EXPECT_EQ(store().release(take()), Settled::done);
  take(1s);
  advance(2s);
  EXPECT_EQ(claimed_events(), (Events{"c1", "a1", "b1"}));
}

FAIRLANE_CASE(PriorityIsAFloorAndNotAnOrder) {
  publish("low", "low1", 1);
  publish("high", "high1", 9);
  EXPECT_EQ(claimed_events(), (Events{"low1", "high1"}));
}

FAIRLANE_CASE(APriorityGroupBehind10000LowerOnesIsFound) {
  for (int i = 0; i < 10'000; ++i) publish("low" + std::to_string(i), "low");
  publish("high", "high", 5);
  EXPECT_EQ(claimed_event(10s, 5), "high");
  EXPECT_EQ(claimed_event(10s, 5), "nothing");
}

FAIRLANE_CASE(AHugeGroupWhoseHeadIsLeasedDoesNotHideTheNextGroup) {
  std::vector<Publication<Bytes>> batch;
  for (int i = 0; i < 200'000; ++i) batch.push_back({"huge", "huge"});
  store().publish_batch(batch);
  publish("next", "next");
  EXPECT_EQ(claimed_event(), "huge");
  EXPECT_EQ(claimed_event(), "next");
  EXPECT_EQ(claimed_event(), "nothing");
}

}  // namespace

const ConformanceCases& section_4_rotation() { return cases; }

}  // namespace fairlane::testing
