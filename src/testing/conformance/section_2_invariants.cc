// Section 2: the invariants.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

/// All that can be tried through a lease that is no longer current.
void expect_all_stale(Transport<Bytes>& store, const Lease<Bytes>& lease) {
  EXPECT_EQ(store.ack(lease), Settled::stale);
  EXPECT_EQ(store.nack(lease), Settled::stale);
  EXPECT_EQ(store.nack(lease, 1s), Settled::stale);
  EXPECT_EQ(store.extend(lease, 1h), Settled::stale);
  EXPECT_EQ(store.release(lease), Settled::stale);
  EXPECT_EQ(store.reject(lease), Settled::stale);
}

FAIRLANE_CASE(I1AtMostOneMessageOfAGroupIsInFlight) {
  publish("a", "a1");
  publish("a", "a2");
  publish("b", "b1");
  EXPECT_EQ(claimed_event(), "a1");
  EXPECT_EQ(claimed_event(), "b1");
  EXPECT_EQ(claimed_event(), "nothing");
}

FAIRLANE_CASE(I2MessagesOfAGroupAreDeliveredInSeqOrder) {
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) publish("a", expected.emplace_back(std::to_string(i)));
  EXPECT_EQ(drain(), expected);
}

FAIRLANE_CASE(I2ANackedHeadIsNotOvertakenByItsFollowers) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().nack(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "a1");
}

FAIRLANE_CASE(I2AParkedHeadIsNotOvertakenByItsFollowers) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().nack(take(), 5s), Settled::done);
  EXPECT_EQ(claimed_event(), "nothing");
  advance(6s);
  EXPECT_EQ(drain(), (std::vector<std::string>{"a1", "a2"}));
}

FAIRLANE_CASE(I2AnExpiredHeadIsNotOvertakenByItsFollowers) {
  publish("a", "a1");
  publish("a", "a2");
  take(1s);
  advance(2s);
  EXPECT_EQ(drain(), (std::vector<std::string>{"a1", "a2"}));
}

FAIRLANE_CASE(I3ASupersededHolderChangesNothingThatTheNewHolderHas) {
  publish("a", "a1");
  publish("a", "a2");
  const auto old = take(1s);
  advance(2s);
  const auto current = take(10s);
  expect_all_stale(store(), old);
  EXPECT_EQ(control().inspect("a").until, current.expires_at());
  EXPECT_EQ(claimed_event(), "nothing");
  EXPECT_EQ(store().ack(current), Settled::done);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(I3ASecondSettleDoesNothing) {
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take();
  EXPECT_EQ(store().ack(lease), Settled::done);
  expect_all_stale(store(), lease);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(I3EverySettleEndsTheLease) {
  for (int way = 0; way < 5; ++way) {
    publish("a");
    const auto lease = take();
    const Settled settled = way == 0   ? store().ack(lease)
                            : way == 1 ? store().nack(lease)
                            : way == 2 ? store().nack(lease, 1s)
                            : way == 3 ? store().release(lease)
                                       : store().reject(lease);
    EXPECT_EQ(settled, Settled::done);
    expect_all_stale(store(), lease);
    control().terminate("a");
  }
}

FAIRLANE_CASE(I3ALeaseOfATerminatedGroupIsStaleAlsoWhenTheGroupLivesAgain) {
  publish("a", "old");
  const auto lease = take();
  control().terminate("a");
  publish("a", "new");
  expect_all_stale(store(), lease);
  EXPECT_EQ(claimed_event(), "new");
}

FAIRLANE_CASE(I3ALeaseThatNoClaimGaveIsStale) {
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take();
  EXPECT_EQ(store().release(lease), Settled::done);
  // Nobody holds the group: its fence is none.
  const Lease<Bytes> none({lease.key().store, 0, lease.seq(), 1}, lease.expires_at(),
                          lease.shared_group_id(), lease.event_ref());
  expect_all_stale(store(), none);
  const Lease<Bytes> twice[] = {none, none};
  EXPECT_EQ(store().ack_batch(twice), (std::vector{Settled::stale, Settled::stale}));
  EXPECT_EQ(claimed_event(), "a1");
  EXPECT_EQ(claimed_event(), "nothing");
}

FAIRLANE_CASE(I3ALeaseOfAnotherStoreIsAWrongArgument) {
  publish("a");
  auto other_clock = std::make_shared<ManualClock>(now());
  const auto other = harness().open({}, other_clock);
  other->publish("a", Bytes("event"));
  const auto foreign = other->claim("worker", 10s);
  ASSERT_TRUE(foreign);
  const auto own = take();
  EXPECT_THROW(static_cast<void>(store().ack(*foreign)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().nack(*foreign)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().extend(*foreign, 1s)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().release(*foreign)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().reject(*foreign)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().ack_claim(*foreign, "w", 1s)), std::invalid_argument);
  const Lease<Bytes> both[] = {own, *foreign};
  EXPECT_THROW(static_cast<void>(store().ack_batch(both)), std::invalid_argument);
  EXPECT_EQ(store().ack(own), Settled::done);
  EXPECT_EQ(control().stats().stale, 0u);
}

FAIRLANE_CASE(I4CountersAddUpAtEveryInstant) {
  open({.max_attempts = 2});
  const auto step = [&] { expect_that_counters_add_up(); };
  for (int i = 0; i < 4; ++i) publish("a");
  for (int i = 0; i < 3; ++i) publish("b");
  step();
  const auto a = take(1s);
  const auto b = take(1s);
  step();
  EXPECT_EQ(store().ack(a), Settled::done);
  EXPECT_EQ(store().nack(b, 1s), Settled::done);
  step();
  EXPECT_EQ(store().reject(take(1s)), Settled::done);
  step();
  advance(2s);
  control().suspend("a");
  take(1s);
  step();
  advance(2s);
  step();
  EXPECT_EQ(control().stats().dead, 2u);
  control().redrive(control().dead_letters(1).front().seq);
  control().drop_dead(control().dead_letters(1).front().seq);
  control().cancel("a", "event");
  step();
  control().terminate("b");
  step();
}

FAIRLANE_CASE(I4EveryQueuedMessageIsExactlyOneOfFive) {
  publish("leased");
  take(1h);
  publish("parked");
  EXPECT_EQ(store().nack(take(), 1h), Settled::done);
  for (const char* group : {"leased", "parked", "ready", "suspended"})
    publish(group), publish(group);
  control().suspend("suspended");
  const auto s = control().stats();
  EXPECT_EQ(s.leased, 1u);
  EXPECT_EQ(s.parked, 1u);
  EXPECT_EQ(s.suspended, 2u);
  EXPECT_EQ(s.ready, 1u);
  EXPECT_EQ(s.waiting, 5u);
  EXPECT_EQ(s.groups, 4u);
}

FAIRLANE_CASE(I4WhatTheClockAloneChangesIsSeenByEveryCall) {
  open({.max_attempts = 1});
  publish("a", "a1");
  const auto lease = take(1s);
  advance(1s);
  EXPECT_EQ(control().stats().leased, 1u);
  advance(tick());
  EXPECT_EQ(control().dead_letters(10).size(), 1u);
  EXPECT_EQ(state("a"), GroupState::absent);
  EXPECT_EQ(control().groups({}).size(), 0u);
  EXPECT_EQ(store().ack(lease), Settled::stale);
}

FAIRLANE_CASE(I5AGroupIsClaimableAgainAfterAnEmptyClaimAndAnExpiry) {
  publish("a", "a1");
  take(1s);
  EXPECT_FALSE(claim());
  advance(2s);
  EXPECT_EQ(claimed_event(1s), "a1");
  EXPECT_FALSE(claim());
  advance(2s);
  EXPECT_EQ(claimed_event(), "a1");
}

FAIRLANE_CASE(I5AGroupGoesOnAfterATerminateOfItsMessageInFlight) {
  publish("a", "a1");
  take();
  EXPECT_EQ(control().terminate("a"), 1u);
  publish("a", "a2");
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(I5AGroupGoesOnAfterADeadLetter) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().reject(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(I6AGroupWhoseLastMessageLeftStartsAnew) {
  publish("a", "a1", 7);
  EXPECT_EQ(store().ack(take()), Settled::done);
  publish("a", "a2", 3);
  const auto info = control().inspect("a");
  EXPECT_EQ(info.priority, 3);
  EXPECT_EQ(info.last_claimed_at, Instant{});
}

}  // namespace

const ConformanceCases& section_2_invariants() { return cases; }

}  // namespace fairlane::testing
