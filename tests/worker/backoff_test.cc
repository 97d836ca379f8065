#include <gtest/gtest.h>

#include <limits>

#include "fairlane/worker.h"

namespace fairlane {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesWithEachAttemptUpToItsCap) {
  const Backoff backoff{.min = 100ms, .max = 1s, .jitter = 0};
  EXPECT_EQ(backoff.delay(1, 7, 0), Duration(100ms));
  EXPECT_EQ(backoff.delay(2, 7, 0), Duration(200ms));
  EXPECT_EQ(backoff.delay(4, 7, 0), Duration(800ms));
  EXPECT_EQ(backoff.delay(5, 7, 0), Duration(1s));
  EXPECT_EQ(backoff.delay(6, 7, 0), Duration(1s));
}

TEST(Backoff, NeverOverflows) {
  const Backoff backoff{.min = 1ns, .max = Duration::max(), .jitter = 0};
  EXPECT_EQ(backoff.delay(63, 1, 0), Duration(std::chrono::nanoseconds(std::int64_t{1} << 62)));
  for (const std::uint32_t attempt : {64U, 65U, 66U, std::numeric_limits<std::uint32_t>::max()}) {
    EXPECT_EQ(backoff.delay(attempt, 1, 0), Duration::max()) << attempt;
  }
  const Backoff jittered{.min = Duration::max(), .max = Duration::max(), .jitter = 1};
  for (std::uint64_t seq = 0; seq < 1'000; ++seq) {
    EXPECT_FALSE(jittered.delay(9, seq, 3).is_negative());
  }
}

TEST(Backoff, OfNothingIsNothing) {
  EXPECT_EQ((Backoff{.min = 0s, .max = 10s}.delay(40, 1, 1)), Duration());
  EXPECT_EQ((Backoff{.min = 0s, .max = 0s}.delay(1, 1, 1)), Duration());
}

TEST(Backoff, TakesAwayAtMostTheShareOfItsJitterAndSpreads) {
  const Backoff backoff{.min = 1s, .max = 1s, .jitter = 0.5};
  Duration least = Duration::max();
  Duration most;
  for (std::uint64_t seq = 1; seq <= 1'000; ++seq) {
    const Duration delay = backoff.delay(1, seq, 5);
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_GE(least, Duration(500ms));
  EXPECT_LE(most, Duration(1s));
  EXPECT_LT(least, Duration(510ms));
  EXPECT_GT(most, Duration(990ms));
}

TEST(Backoff, IsTheSameForTheSameSeedSeqAndAttempt) {
  const Backoff backoff;
  EXPECT_EQ(backoff.delay(3, 11, 42), backoff.delay(3, 11, 42));
  EXPECT_NE(backoff.delay(3, 11, 42), backoff.delay(3, 11, 43));
  EXPECT_NE(backoff.delay(3, 11, 42), backoff.delay(3, 12, 42));
}

}  // namespace
}  // namespace fairlane
