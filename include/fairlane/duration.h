// A span of time as every verb takes it: any std::chrono::duration, never wrapping.
#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <ratio>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace fairlane {

/// A length of time in whole nanoseconds, made implicitly from any `std::chrono::duration`.
///
/// `std::chrono` converts hours to nanoseconds by a multiplication that overflows past 292 years;
/// a lease of `hours::max()` would then have ended before it began. Here what does not fit
/// saturates, and what is finer than a nanosecond is rounded up, so nothing fires early.
///
/// Errors: a floating-point duration that is not a number raises `std::invalid_argument`.
class Duration {
 public:
  constexpr Duration() noexcept = default;

  template <class Rep, class Period>
  constexpr Duration(std::chrono::duration<Rep, Period> value)  // NOLINT: implicit by design
      : nanoseconds_(convert<Rep, Period>(value.count())) {}

  /// Longer than any program runs: 2^63 - 1 ns, about 292 years. As a timeout: for ever.
  static constexpr Duration max() noexcept {
    return Duration(std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max()));
  }

  constexpr std::chrono::nanoseconds value() const noexcept {
    return std::chrono::nanoseconds(nanoseconds_);
  }
  constexpr bool is_negative() const noexcept { return nanoseconds_ < 0; }

  friend constexpr auto operator<=>(Duration, Duration) noexcept = default;

 private:
  using Limits = std::numeric_limits<std::int64_t>;

  template <class Rep, class Period>
  static constexpr std::int64_t convert(Rep count) {
    using ToNanoseconds = std::ratio_divide<Period, std::nano>;
    constexpr std::int64_t numerator = ToNanoseconds::num;
    constexpr std::int64_t denominator = ToNanoseconds::den;
    if constexpr (std::is_floating_point_v<Rep>) {
      return from_floating(static_cast<long double>(count) * static_cast<long double>(numerator) /
                           static_cast<long double>(denominator));
    } else {
      static_assert(numerator <= Limits::max() / denominator, "a period no clock ticks in");
      if (std::cmp_greater(count, Limits::max())) return Limits::max();
      const auto whole = static_cast<std::int64_t>(count) / denominator;
      const auto rest = static_cast<std::int64_t>(count) % denominator;
      if (whole > Limits::max() / numerator - 1) return Limits::max();
      if (whole < Limits::min() / numerator + 1) return Limits::min();
      const std::int64_t part = rest * numerator;
      return whole * numerator + part / denominator + (part % denominator > 0 ? 1 : 0);
    }
  }

  static std::int64_t from_floating(long double nanoseconds) {
    if (std::isnan(nanoseconds)) throw std::invalid_argument("a duration is not a number: nan");
    if (nanoseconds >= static_cast<long double>(Limits::max())) return Limits::max();
    if (nanoseconds <= static_cast<long double>(Limits::min())) return Limits::min();
    return static_cast<std::int64_t>(std::ceil(nanoseconds));
  }

  std::int64_t nanoseconds_ = 0;
};

}  // namespace fairlane
