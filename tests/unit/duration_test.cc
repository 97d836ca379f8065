#include "fairlane/duration.h"

#include <gtest/gtest.h>

#include <limits>

#include "fairlane/clock.h"

namespace fairlane {
namespace {

using std::chrono::duration;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr auto longest = std::numeric_limits<std::int64_t>::max();

std::int64_t ns(Duration value) { return value.value().count(); }

TEST(Duration, IsMadeFromAnyChronoDuration) {
  EXPECT_EQ(ns(milliseconds(3)), 3'000'000);
  EXPECT_EQ(ns(hours(-1)), -3'600'000'000'000);
  EXPECT_EQ(ns(duration<int, std::ratio<604'800>>(2)), 1'209'600'000'000'000);
  EXPECT_EQ(ns(Duration()), 0);
}

TEST(Duration, SaturatesInsteadOfWrapping) {
  EXPECT_EQ(ns(hours::max()), longest);
  EXPECT_EQ(ns(milliseconds::max()), longest);
  EXPECT_EQ(ns(duration<std::uint64_t>(std::numeric_limits<std::uint64_t>::max())), longest);
  EXPECT_LT(ns(hours::min()), -9'000'000'000'000'000'000);
  EXPECT_EQ(ns(duration<double>(1e300)), longest);
  EXPECT_EQ(ns(nanoseconds::max()), longest);
}

TEST(Duration, KeepsTenYearsAndTwoToThe31Milliseconds) {
  EXPECT_EQ(ns(hours(24 * 3652)), 315'532'800'000'000'000);
  EXPECT_EQ(ns(milliseconds(1LL << 31)), 2'147'483'648'000'000);
}

TEST(Duration, RoundsUpWhatIsFinerThanANanosecond) {
  EXPECT_EQ(ns(duration<std::int64_t, std::pico>(1)), 1);
  EXPECT_EQ(ns(duration<std::int64_t, std::pico>(1'000)), 1);
  EXPECT_EQ(ns(duration<std::int64_t, std::pico>(1'001)), 2);
  EXPECT_EQ(ns(duration<std::int64_t, std::pico>(-1)), 0);
  EXPECT_EQ(ns(duration<double>(0.1e-9)), 1);
}

TEST(Duration, RefusesWhatIsNotANumber) {
  EXPECT_THROW(Duration(duration<double>(std::numeric_limits<double>::quiet_NaN())),
               std::invalid_argument);
}

TEST(Duration, AddedToAnInstantSaturates) {
  const Instant late(nanoseconds(longest - 5));
  EXPECT_EQ(saturating_add(late, nanoseconds(6)), Instant::max());
  EXPECT_EQ(saturating_add(late, nanoseconds(5)), Instant::max());
  EXPECT_EQ(saturating_add(Instant(), nanoseconds(7)), Instant(nanoseconds(7)));
  EXPECT_EQ(saturating_add(Instant::min(), nanoseconds(-1)), Instant::min());
}

}  // namespace
}  // namespace fairlane
