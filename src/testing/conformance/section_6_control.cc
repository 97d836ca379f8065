// Section 6: the control plane.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

using Ids = std::vector<std::string>;

ConformanceCases cases;

FAIRLANE_CASE(ASuspendedGroupIsNotClaimableAndResumeRestoresItInOrder) {
  publish("a", "a1");
  control().suspend("a");
  publish("a", "a2");
  EXPECT_FALSE(claim());
  control().resume("a");
  EXPECT_EQ(drain(), (Ids{"a1", "a2"}));
}

FAIRLANE_CASE(SuspendedTwiceAndResumedOnceIsResumed) {
  publish("a");
  control().suspend("a");
  control().suspend("a");
  control().resume("a");
  control().resume("a");
  EXPECT_TRUE(claim());
}

FAIRLANE_CASE(SuspensionWorksForGroupsThatHoldNothingYetAndOutlivesDraining) {
  control().suspend("a");
  EXPECT_EQ(state("a"), GroupState::absent);
  EXPECT_TRUE(control().inspect("a").suspended);
  publish("a");
  EXPECT_FALSE(claim());
  control().terminate("a");
  publish("a");
  EXPECT_FALSE(claim());
  control().resume("a");
  const auto lease = take();
  control().suspend("a");
  EXPECT_EQ(store().ack(lease), Settled::done);
  publish("a");
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(ALiveLeaseOfASuspendedGroupFinishesNormally) {
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take(10s);
  control().suspend("a");
  const auto info = control().inspect("a");
  EXPECT_EQ(info.state, GroupState::leased);
  EXPECT_TRUE(info.suspended);
  EXPECT_EQ(store().extend(lease, 20s), Settled::done);
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(ASuspendedGroupIsNotDeliveredThroughAnExpiry) {
  publish("a");
  take(1s);
  control().suspend("a");
  advance(2s);
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(ASuspendedGroupIsNotDeliveredThroughTheEndOfAPark) {
  publish("a");
  const auto lease = take();
  control().suspend("a");
  EXPECT_EQ(store().nack(lease, 1s), Settled::done);
  EXPECT_EQ(state("a"), GroupState::parked);
  advance(2s);
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(ResumeDoesNotEndALeaseOrAPark) {
  publish("a");
  publish("b");
  const auto a = take();
  EXPECT_EQ(store().nack(take(), 5s), Settled::done);
  for (const char* group : {"a", "b"}) control().suspend(group), control().resume(group);
  EXPECT_EQ(state("a"), GroupState::leased);
  EXPECT_EQ(state("b"), GroupState::parked);
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().ack(a), Settled::done);
}

FAIRLANE_CASE(TerminateDropsEveryMessageAlsoTheOneInFlight) {
  publish("a", "a1");
  publish("a", "a2");
  publish("b", "b1");
  const auto lease = take();
  EXPECT_EQ(control().terminate("a"), 2u);
  EXPECT_EQ(control().terminate("a"), 0u);
  EXPECT_EQ(store().ack(lease), Settled::stale);
  EXPECT_EQ(control().stats().dropped, 2u);
  EXPECT_EQ(claimed_events(), (Ids{"b1"}));
}

FAIRLANE_CASE(TerminateLiftsNoSuspensionAndTouchesNoDeadLetters) {
  publish("a");
  EXPECT_EQ(store().reject(take()), Settled::done);
  publish("a");
  control().suspend("a");
  EXPECT_EQ(control().terminate("a"), 1u);
  EXPECT_TRUE(control().inspect("a").suspended);
  EXPECT_EQ(control().stats().dead, 1u);
}

FAIRLANE_CASE(CancelKeepsAHeadLeasedNowAndPublishesBehindIt) {
  for (const char* event : {"a1", "a2", "a3"}) publish("a", event, 5);
  const auto lease = take();
  const auto cancelled = control().cancel("a", "stop");
  EXPECT_EQ(cancelled.dropped, 2u);
  EXPECT_EQ(cancelled.seq, 4u);
  EXPECT_EQ(peeked("a"), (Ids{"a1", "stop"}));
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_EQ(claimed_event(), "stop");
}

FAIRLANE_CASE(CancelKeepsAHeadLeasedAtItsLastInstantButNotTheFirstAfter) {
  publish("a", "a1");
  const auto lease = take(10s);
  advance(10s);
  EXPECT_EQ(control().cancel("a", "one").dropped, 0u);
  advance(tick());
  EXPECT_EQ(control().cancel("a", "two").dropped, 2u);
  EXPECT_EQ(store().ack(lease), Settled::stale);
  EXPECT_EQ(claimed_events(), (Ids{"two"}));
}

FAIRLANE_CASE(CancelDropsAParkedHead) {
  publish("a", "a1");
  EXPECT_EQ(store().nack(take(), 1h), Settled::done);
  EXPECT_EQ(control().cancel("a", "stop").dropped, 1u);
  EXPECT_EQ(state("a"), GroupState::ready);
  EXPECT_EQ(claimed_event(), "stop");
}

FAIRLANE_CASE(CancelLeavesAnActiveGroupItsRecord) {
  publish("a", "a1", 5);
  EXPECT_EQ(store().nack(take()), Settled::done);
  const auto claimed_at = now();
  advance(1s);
  control().cancel("a", "stop");
  const auto info = control().inspect("a");
  EXPECT_EQ(info.priority, 5);
  EXPECT_EQ(info.last_claimed_at, claimed_at);
}

FAIRLANE_CASE(CancelMakesAnAbsentGroupActiveWithPriority0) {
  const auto cancelled = control().cancel("a", "stop");
  EXPECT_EQ(cancelled.dropped, 0u);
  EXPECT_EQ(control().inspect("a").priority, 0);
  EXPECT_EQ(control().stats().published, 1u);
  EXPECT_EQ(claimed_event(), "stop");
}

FAIRLANE_CASE(CancelLeavesASuspension) {
  control().suspend("a");
  control().cancel("a", "stop");
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(CancelJudgesLimitsAfterTheDropAndChangesNothingIfOver) {
  open({.max_group_messages = 2});
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(control().cancel("a", "one").dropped, 2u);
  open({.max_group_messages = 1});
  publish("a", "a1");
  const auto lease = take();
  EXPECT_EQ(error_of([&] { control().cancel("a", "two"); }), ErrorCode::full);
  EXPECT_EQ(peeked("a"), (Ids{"a1"}));
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(InspectTellsWhyAGroupIsNotDelivered) {
  EXPECT_EQ(state("a"), GroupState::absent);
  publish("a", "a1", 3);
  publish("a", "a2");
  EXPECT_EQ(state("a"), GroupState::ready);
  const auto lease = take(10s);
  const auto leased = control().inspect("a");
  EXPECT_EQ(leased.state, GroupState::leased);
  EXPECT_EQ(leased.messages, 2u);
  EXPECT_EQ(leased.priority, 3);
  EXPECT_EQ(leased.worker_id, "worker");
  EXPECT_EQ(leased.attempt, 1u);
  EXPECT_EQ(leased.until, lease.expires_at());
  EXPECT_EQ(store().nack(lease, 5s), Settled::done);
  EXPECT_EQ(state("a"), GroupState::parked);
  advance(6s);
  EXPECT_EQ(state("a"), GroupState::ready);
  EXPECT_FALSE(control().inspect("a").until);
  control().suspend("a");
  EXPECT_EQ(state("a"), GroupState::suspended);
}

FAIRLANE_CASE(GroupsAreListedInPagesInByteOrder) {
  for (const char* id : {"b", "", "\xff", "a", "B"}) publish(id);
  EXPECT_EQ(control().groups({}), (Ids{"", "B", "a", "b", "\xff"}));
  EXPECT_EQ(control().groups({.limit = 2}), (Ids{"", "B"}));
  EXPECT_EQ(control().groups({.limit = 2, .after = "B"}), (Ids{"a", "b"}));
  EXPECT_EQ(control().groups({.after = ""}), (Ids{"B", "a", "b", "\xff"}));
  EXPECT_EQ(control().groups({.after = "aa"}), (Ids{"b", "\xff"}));
  EXPECT_EQ(control().groups({.limit = 0}), Ids{});
}

FAIRLANE_CASE(SuspendedGroupsAreListedWhetherActiveOrNot) {
  publish("active");
  publish("other");
  control().suspend("idle");
  control().suspend("active");
  EXPECT_EQ(control().groups({.suspended = true}), (Ids{"active", "idle"}));
  EXPECT_EQ(control().groups({.suspended = true, .after = "active"}), (Ids{"idle"}));
}

FAIRLANE_CASE(PeekShowsTheFirstMessagesHeadFirst) {
  for (const char* event : {"a1", "a2", "a3"}) publish("a", event);
  take();
  const auto messages = control().peek("a", 2);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].seq, 1u);
  EXPECT_EQ(messages[0].attempts, 1u);
  EXPECT_EQ(*messages[1].event, "a2");
  EXPECT_EQ(messages[1].attempts, 0u);
  EXPECT_TRUE(control().peek("absent", 2).empty());
  EXPECT_TRUE(control().peek("a", 0).empty());
}

FAIRLANE_CASE(StatsTellTheAgeOfTheOldestQueuedMessage) {
  EXPECT_EQ(control().stats().oldest_age, Duration());
  publish("a");
  advance(3s);
  publish("b");
  advance(2s);
  EXPECT_EQ(control().stats().oldest_age, Duration(5s));
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(control().stats().oldest_age, Duration(2s));
}

FAIRLANE_CASE(StatsCountWhatWasDone) {
  publish("a");
  publish("a");
  const auto first = take();
  EXPECT_EQ(store().nack(first), Settled::done);
  EXPECT_EQ(store().nack(first), Settled::stale);
  EXPECT_EQ(store().release(take()), Settled::done);
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(store().reject(take()), Settled::done);
  const auto s = control().stats();
  EXPECT_EQ(s.published, 2u);
  EXPECT_EQ(s.claims, 4u);
  EXPECT_EQ(s.redelivered, 2u);
  EXPECT_EQ(s.nacks, 1u);
  EXPECT_EQ(s.released, 1u);
  EXPECT_EQ(s.stale, 1u);
  EXPECT_EQ(s.acked, 1u);
  EXPECT_EQ(s.dead_lettered, 1u);
}

FAIRLANE_CASE(ReadyKnowsNoFloor) {
  publish("a", "a1", -5);
  EXPECT_EQ(control().stats().ready, 1u);
  EXPECT_EQ(state("a"), GroupState::ready);
}

}  // namespace

const ConformanceCases& section_6_control() { return cases; }

}  // namespace fairlane::testing
