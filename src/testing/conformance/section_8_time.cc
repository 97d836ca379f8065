// Section 8: time.
#include <limits>

#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

constexpr auto ten_years = std::chrono::hours(24 * 365 * 10);
constexpr auto two_to_the_31_ms = std::chrono::milliseconds(std::int64_t{1} << 31);

FAIRLANE_GUARDED_TIME_CASE(AStepBackOfTheClockChangesNothing) {
  publish("a");
  const auto lease = take(10s);
  advance(5s);
  EXPECT_EQ(control().stats().leased, 1u);
  clock().advance(-1h);
  EXPECT_EQ(control().stats().oldest_age, Duration(5s));
  EXPECT_EQ(store().extend(lease, 10s), Settled::done);
  EXPECT_EQ(control().inspect("a").until, saturating_add(lease.expires_at(), 5s));
}

FAIRLANE_CASE(ZeroIsAVisibilityForThatInstantOnly) {
  publish("a");
  const auto lease = take(Duration());
  EXPECT_EQ(lease.expires_at(), now());
  EXPECT_FALSE(claim());
  advance(tick());
  EXPECT_TRUE(claim());
  EXPECT_EQ(store().ack(lease), Settled::stale);
}

FAIRLANE_CASE(OneNanosecondIsRoundedUpAndNeverFiresEarly) {
  publish("a");
  const auto lease = take(1ns);
  EXPECT_GE(lease.expires_at(), saturating_add(now(), 1ns));
  advance(1ns);
  EXPECT_FALSE(claim());
  advance(tick().value() + tick().value());
  EXPECT_TRUE(claim());
}

FAIRLANE_CASE(DurationsPast2To31MillisecondsDoNotWrap) {
  for (const Duration span : {Duration(two_to_the_31_ms), Duration(ten_years)}) {
    publish("a");
    const auto lease = take(span);
    advance(span);
    EXPECT_FALSE(claim());
    advance(tick());
    const auto again = take();
    EXPECT_EQ(store().nack(again, span), Settled::done);
    advance(span);
    EXPECT_EQ(state("a"), GroupState::parked);
    advance(tick());
    EXPECT_EQ(state("a"), GroupState::ready);
    EXPECT_EQ(store().ack(lease), Settled::stale);
    EXPECT_EQ(control().terminate("a"), 1u);
  }
}

FAIRLANE_CASE(AHugeDurationSaturatesAndNeverFiresEarly) {
  publish("a");
  publish("b");
  const auto lease = take(Duration::max());
  EXPECT_EQ(store().nack(take(), std::chrono::hours::max()), Settled::done);
  advance(ten_years);
  EXPECT_EQ(state("a"), GroupState::leased);
  EXPECT_EQ(state("b"), GroupState::parked);
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().extend(lease, Duration::max()), Settled::done);
  advance(ten_years);
  EXPECT_FALSE(claim());
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(ANegativeDurationIsRefused) {
  publish("a");
  EXPECT_THROW(claim(-1ns), std::invalid_argument);
  EXPECT_THROW(store().claim_batch(1, "w", -1ns), std::invalid_argument);
  EXPECT_THROW(store().claim_wait("w", -1ns), std::invalid_argument);
  EXPECT_THROW(store().claim_wait("w", 1s, 0, -1ns), std::invalid_argument);
  EXPECT_THROW(store().publish_wait("a", Bytes("e"), 0, -1ns), std::invalid_argument);
  const auto lease = take();
  EXPECT_THROW(static_cast<void>(store().nack(lease, -1ns)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(store().extend(lease, -10s)), std::invalid_argument);
  EXPECT_EQ(control().inspect("a").until, lease.expires_at());
}

FAIRLANE_CASE(OneClockTickThatEndsManyLeasesLosesNoOrder) {
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) publish(std::to_string(i), expected.emplace_back(std::to_string(i)));
  EXPECT_EQ(store().claim_batch(20, "worker", 1s).size(), 20u);
  advance(1h);
  EXPECT_EQ(claimed_events(), expected);
}

}  // namespace

const ConformanceCases& section_8_time() { return cases; }

}  // namespace fairlane::testing
