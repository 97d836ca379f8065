// Durations as people write them: "100ms", "1.5h", "100ms..30s".
#pragma once

#include <string>
#include <string_view>

#include "fairlane/duration.h"

namespace fairlane::run {

/// A number directly followed by one of ns, us, ms, s, m, h, d; "0" needs no unit.
/// Finer than a nanosecond is rounded up; what does not fit saturates.
/// Errors: `std::invalid_argument` that repeats the text.
Duration parse_duration(std::string_view text);

/// Two durations, the first at most the second.
struct DurationRange {
  Duration min;
  Duration max;
};

/// "MIN..MAX", or one duration for both.
/// Errors: as `parse_duration`, and for MIN above MAX.
DurationRange parse_duration_range(std::string_view text);

/// Short and readable, for messages: "1.5s", "250ms".
std::string duration_text(Duration duration);

}  // namespace fairlane::run
