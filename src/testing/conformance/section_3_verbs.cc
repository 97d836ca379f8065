// Section 3: the verbs.
#include <limits>

#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

FAIRLANE_CASE(PublishAppendsToTheGroupsFifo) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(peeked("a"), (std::vector<std::string>{"a1", "a2"}));
}

FAIRLANE_CASE(PriorityIsTakenOnlyByThePublishThatMakesTheGroupActive) {
  publish("a", "a1", 5);
  publish("a", "a2", 9);
  EXPECT_EQ(control().inspect("a").priority, 5);
  EXPECT_FALSE(claim(10s, 6));
  EXPECT_TRUE(claim(10s, 5));
}

FAIRLANE_CASE(PriorityIsAny32BitIntegerAndANegativeOneHidesFromTheDefaultFloor) {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  constexpr auto highest = std::numeric_limits<std::int32_t>::max();
  publish("low", "low", lowest);
  publish("hidden", "hidden", -1);
  publish("high", "high", highest);
  EXPECT_EQ(claimed_event(10s, highest), "high");
  EXPECT_EQ(claimed_event(), "nothing");
  EXPECT_EQ(claimed_event(10s, -1), "hidden");
  EXPECT_EQ(claimed_event(10s, lowest), "low");
}

FAIRLANE_CASE(PublishingToALeasedGroupResetsNothing) {
  publish("a", "a1", 2);
  const auto lease = take(10s);
  publish("a", "a2", 9);
  const auto info = control().inspect("a");
  EXPECT_EQ(info.state, GroupState::leased);
  EXPECT_EQ(info.until, lease.expires_at());
  EXPECT_EQ(info.priority, 2);
  EXPECT_EQ(info.last_claimed_at, now());
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(PublishingToAParkedGroupResetsNothing) {
  publish("a", "a1");
  EXPECT_EQ(store().nack(take(), 10s), Settled::done);
  publish("a", "a2");
  EXPECT_EQ(state("a"), GroupState::parked);
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(PublishingToASuspendedGroupDoesNotResumeIt) {
  control().suspend("a");
  publish("a");
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_FALSE(claim());
}

FAIRLANE_CASE(ClaimOfAnEmptyStoreReturnsNothing) { EXPECT_FALSE(claim()); }

FAIRLANE_CASE(ClaimSetsTheGroupsLastClaimedAt) {
  publish("a");
  EXPECT_EQ(control().inspect("a").last_claimed_at, Instant{});
  advance(3s);
  take();
  EXPECT_EQ(control().inspect("a").last_claimed_at, now());
}

FAIRLANE_CASE(TheWorkerIdIsOnlyForPeopleToRead) {
  publish("a");
  const auto lease = store().claim("one", 10s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(control().inspect("a").worker_id, "one");
  EXPECT_FALSE(store().claim("one", 10s));
  advance(11s);
  const auto again = store().claim("one", 10s);
  ASSERT_TRUE(again);
  EXPECT_EQ(store().ack(*lease), Settled::stale);
  EXPECT_EQ(store().ack(*again), Settled::done);
  publish("a");
  EXPECT_TRUE(store().claim("", 10s));
}

FAIRLANE_CASE(AckRemovesTheMessageAndFreesTheGroup) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(NackWithoutDelayFreesAtOnce) {
  publish("a", "a1");
  EXPECT_EQ(store().nack(take()), Settled::done);
  const auto again = take();
  EXPECT_EQ(again.event(), "a1");
  EXPECT_EQ(again.attempt(), 2u);
}

FAIRLANE_CASE(NackWithDelayParks) {
  publish("a", "a1");
  const auto lease = take();
  EXPECT_EQ(store().nack(lease, 5s), Settled::done);
  const auto info = control().inspect("a");
  EXPECT_EQ(info.state, GroupState::parked);
  EXPECT_EQ(info.until, saturating_add(now(), 5s));
  EXPECT_FALSE(info.worker_id);
}

FAIRLANE_CASE(ANackedGroupDoesNotJumpTheQueue) {
  publish("a", "a1");
  publish("b", "b1");
  advance(1s);
  EXPECT_EQ(store().nack(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "b1");
  EXPECT_EQ(claimed_event(), "a1");
}

FAIRLANE_CASE(ExtendSetsTheExpiryToNowPlusVisibility) {
  publish("a");
  const auto lease = take(10s);
  advance(5s);
  EXPECT_EQ(store().extend(lease, 20s), Settled::done);
  EXPECT_EQ(control().inspect("a").until, saturating_add(now(), 20s));
  EXPECT_EQ(store().extend(lease, 1s), Settled::done);
  advance(1s);
  EXPECT_FALSE(claim());
  advance(tick());
  EXPECT_TRUE(claim());
}

FAIRLANE_CASE(ExtendRevivesALeaseThatRanOutAndThatNobodyClaimedSince) {
  publish("a");
  const auto lease = take(1s);
  advance(1h);
  EXPECT_EQ(state("a"), GroupState::ready);
  EXPECT_EQ(store().extend(lease, 10s), Settled::done);
  EXPECT_EQ(state("a"), GroupState::leased);
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(ReleaseFreesAtOnceAndIsNotCountedAsAnAttempt) {
  publish("a");
  EXPECT_EQ(store().release(take()), Settled::done);
  const auto again = take();
  EXPECT_EQ(again.attempt(), 1u);
  EXPECT_EQ(control().stats().released, 1u);
  EXPECT_EQ(control().stats().redelivered, 0u);
}

FAIRLANE_CASE(AReleasedGroupKeepsThePlaceThatItsClaimGaveIt) {
  publish("a", "a1");
  publish("b", "b1");
  advance(1s);
  EXPECT_EQ(store().release(take()), Settled::done);
  EXPECT_EQ(claimed_event(), "b1");
}

FAIRLANE_CASE(RejectMovesToTheDeadLettersWhateverMaxAttemptsSays) {
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().reject(take(), "no such account"), Settled::done);
  const auto dead = control().dead_letters(10);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead.front().reason, "no such account");
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(ALeaseSettlesAfterItsExpiryInEveryWay) {
  for (int way = 0; way < 4; ++way) {
    publish("a");
    const auto lease = take(1s);
    advance(2s);
    const Settled settled = way == 0   ? store().nack(lease, 1s)
                            : way == 1 ? store().release(lease)
                            : way == 2 ? store().reject(lease)
                                       : store().ack(lease);
    EXPECT_EQ(settled, Settled::done);
    control().terminate("a");
  }
}

FAIRLANE_CASE(ClosingTwiceIsFine) {
  store().close();
  store().close();
}

FAIRLANE_CASE(AfterCloseTheVerbsDoAsTheTransportSays) {
  store().close();
  if (harness().works_after_close) {
    publish("a", "a1");
    EXPECT_EQ(drain(), (std::vector<std::string>{"a1"}));
    return;
  }
  EXPECT_EQ(error_of([&] { publish("a"); }), ErrorCode::closed);
  EXPECT_EQ(error_of([&] { claim(); }), ErrorCode::closed);
  EXPECT_EQ(error_of([&] { control().stats(); }), ErrorCode::closed);
}

FAIRLANE_REOPENING_CASE(CloseAndReopenKeepsMessagesLeasesAndSuspensions) {
  publish("a", "a1");
  publish("b", "b1");
  control().suspend("b");
  const auto lease = take();
  reopen();
  EXPECT_EQ(control().stats().published, 0u);
  EXPECT_EQ(claimed_event(), "nothing");
  EXPECT_EQ(state("b"), GroupState::suspended);
  EXPECT_EQ(store().ack(lease), Settled::done);
  control().resume("b");
  EXPECT_EQ(claimed_event(), "b1");
  EXPECT_EQ(publish("a"), 3u);
}

}  // namespace

const ConformanceCases& section_3_verbs() { return cases; }

}  // namespace fairlane::testing
