// Section 5: attempts and dead letters.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

constexpr auto suspend_group = WhenExhausted::suspend_group;

FAIRLANE_CASE(ThereIsNoLimitOfAttemptsByDefault) {
  publish("a");
  for (std::uint32_t attempt = 1; attempt <= 100; ++attempt) {
    const auto lease = take();
    EXPECT_EQ(lease.attempt(), attempt);
    EXPECT_EQ(store().nack(lease), Settled::done);
  }
}

FAIRLANE_CASE(ACrashCountsAsAnAttempt) {
  publish("a");
  take(1s);
  advance(2s);
  EXPECT_EQ(take().attempt(), 2u);
  EXPECT_EQ(control().stats().redelivered, 1u);
}

FAIRLANE_CASE(AnExhaustedMessageThatIsNackedIsADeadLetterAndNotParked) {
  open({.max_attempts = 2});
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().nack(take()), Settled::done);
  EXPECT_EQ(store().nack(take(), 1h), Settled::done);
  EXPECT_EQ(control().stats().dead, 1u);
  EXPECT_EQ(control().stats().nacks, 2u);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(AnExhaustedMessageDiesTheFirstInstantAfterItsExpiry) {
  open({.max_attempts = 1});
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take(10s);
  advance(10s);
  EXPECT_EQ(control().dead_letters(10).size(), 0u);
  advance(tick());
  EXPECT_EQ(store().ack(lease), Settled::stale);
  EXPECT_EQ(control().dead_letters(10).size(), 1u);
  EXPECT_EQ(claimed_event(), "a2");
}

FAIRLANE_CASE(ALateExtendOfAnExhaustedMessageIsStale) {
  open({.max_attempts = 1});
  publish("a");
  const auto lease = take(1s);
  advance(1s);
  EXPECT_EQ(store().extend(lease, 1s), Settled::done);
  advance(2s);
  EXPECT_EQ(store().extend(lease, 1s), Settled::stale);
}

FAIRLANE_CASE(SuspendGroupKeepsTheHeadAndSuspendsItsGroup) {
  open({.when_exhausted = suspend_group, .max_attempts = 1});
  publish("a", "a1");
  publish("a", "a2");
  EXPECT_EQ(store().nack(take(), 1h), Settled::done);
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_EQ(control().stats().dead, 0u);
  EXPECT_FALSE(claim());
  control().resume("a");
  const auto again = take();
  EXPECT_EQ(again.event(), "a1");
  EXPECT_EQ(again.attempt(), 2u);
}

FAIRLANE_CASE(SuspendGroupSuspendsAgainAtEachFurtherFailure) {
  open({.when_exhausted = suspend_group, .max_attempts = 1});
  publish("a", "a1");
  for (int failure = 0; failure < 3; ++failure) {
    EXPECT_EQ(store().nack(take()), Settled::done);
    EXPECT_EQ(state("a"), GroupState::suspended);
    control().resume("a");
  }
  EXPECT_EQ(drain(), (std::vector<std::string>{"a1"}));
}

FAIRLANE_CASE(SuspendGroupRevokesTheLeaseThatRanOut) {
  open({.when_exhausted = suspend_group, .max_attempts = 1});
  publish("a");
  const auto lease = take(1s);
  advance(1s + tick().value());
  EXPECT_EQ(state("a"), GroupState::suspended);
  EXPECT_EQ(store().ack(lease), Settled::stale);
  control().resume("a");
  EXPECT_EQ(state("a"), GroupState::ready);
}

FAIRLANE_CASE(AReleaseNeverExhausts) {
  open({.max_attempts = 1});
  publish("a", "a1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(store().release(take()), Settled::done);
  EXPECT_EQ(drain(), (std::vector<std::string>{"a1"}));
}

FAIRLANE_CASE(ADeadLetterKeepsWhatIsKnownOfIt) {
  publish("group", "payload", 4);
  EXPECT_EQ(store().nack(take()), Settled::done);
  const auto lease = store().claim("last worker", 10s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(store().reject(*lease, "why"), Settled::done);
  const auto dead = control().dead_letters(10);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].seq, lease->seq());
  EXPECT_EQ(dead[0].group_id, "group");
  EXPECT_EQ(*dead[0].event, "payload");
  EXPECT_EQ(dead[0].attempts, 2u);
  EXPECT_EQ(dead[0].priority, 4);
  EXPECT_EQ(dead[0].worker_id, "last worker");
  EXPECT_EQ(dead[0].reason, "why");
}

FAIRLANE_CASE(DeadLettersAreListedInPagesInOrderOfSeq) {
  for (int i = 0; i < 5; ++i) publish(std::to_string(i));
  std::vector<Lease<Bytes>> leases = store().claim_batch(5, "worker", 10s);
  for (auto at = leases.rbegin(); at != leases.rend(); ++at) {
    EXPECT_EQ(store().reject(*at), Settled::done);
  }
  const auto first = control().dead_letters(2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].seq, 1u);
  EXPECT_EQ(first[1].seq, 2u);
  const auto rest = control().dead_letters(10, first[1].seq);
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest[0].seq, 3u);
  EXPECT_TRUE(control().dead_letters(0).empty());
}

FAIRLANE_CASE(RedrivePublishesAtTheTailUnderANewSeqWithAttemptsFromZero) {
  publish("a", "a1", 4);
  publish("a", "a2");
  EXPECT_EQ(store().reject(take()), Settled::done);
  EXPECT_EQ(control().redrive(1), 3u);
  EXPECT_EQ(peeked("a"), (std::vector<std::string>{"a2", "a1"}));
  EXPECT_EQ(control().peek("a", 2)[1].attempts, 0u);
  EXPECT_TRUE(control().dead_letters(10).empty());
  const auto s = control().stats();
  EXPECT_EQ(s.redriven, 1u);
  EXPECT_EQ(s.published, 3u);
}

FAIRLANE_CASE(RedriveKeepsThePriorityIfItMakesTheGroupActive) {
  publish("a", "a1", 4);
  EXPECT_EQ(store().reject(take()), Settled::done);
  control().redrive(1);
  EXPECT_EQ(control().inspect("a").priority, 4);
  EXPECT_EQ(control().inspect("a").last_claimed_at, Instant{});
}

FAIRLANE_CASE(DropDeadForgetsADeadLetter) {
  publish("a");
  EXPECT_EQ(store().reject(take()), Settled::done);
  control().drop_dead(1);
  EXPECT_TRUE(control().dead_letters(10).empty());
  EXPECT_EQ(control().stats().dropped, 1u);
  EXPECT_EQ(error_of([&] { control().drop_dead(1); }), ErrorCode::not_found);
  EXPECT_EQ(error_of([&] { control().redrive(1); }), ErrorCode::not_found);
}

FAIRLANE_CASE(DeadLettersDoNotCountAgainstTheLimitsButARedriveDoes) {
  open({.max_messages = 1});
  publish("a", "a1");
  EXPECT_EQ(store().reject(take()), Settled::done);
  publish("b", "b1");
  EXPECT_EQ(error_of([&] { control().redrive(1); }), ErrorCode::full);
  EXPECT_EQ(control().dead_letters(10).size(), 1u);
  EXPECT_EQ(drain(), (std::vector<std::string>{"b1"}));
  control().redrive(1);
  EXPECT_EQ(drain(), (std::vector<std::string>{"a1"}));
}

}  // namespace

const ConformanceCases& section_5_attempts() { return cases; }

}  // namespace fairlane::testing
