// Reads and writes durations.
#include "run/duration_text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

namespace fairlane::run {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<Unit, 7> units{{{"ns", 1},
                                     {"us", 1'000},
                                     {"ms", 1'000'000},
                                     {"s", 1'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"d", 86'400'000'000'000}}};

[[noreturn]] void throw_no_duration(std::string_view text) {
  throw std::invalid_argument(
      fmt::format("no duration: \"{}\"; write for instance 250ms, 1.5s, 10m or 2h", text));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The length of the "12" or "12.5" that `text` begins with; 0: it begins with no number.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  if (length == 0 || length == text.size() || text[length] != '.') return length;
  std::size_t end = length + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end == length + 1 ? 0 : end;
}

/// Nanoseconds of `number` units; exact where they fit, for no double comes in between.
std::int64_t scale(std::string_view number, std::int64_t unit) {
  constexpr auto limit = std::numeric_limits<std::int64_t>::max();
  const auto point = number.find('.');
  std::int64_t total = 0;
  for (const char digit : number.substr(0, point)) {
    const std::int64_t part = unit * (digit - '0');
    if (total > (limit - part) / 10) return limit;
    total = total * 10 + part;
  }
  if (point == std::string_view::npos) return total;
  std::int64_t rest = unit;
  std::int64_t fraction = 0;
  bool truncated = false;
  bool inexact = false;
  for (const char digit : number.substr(point + 1)) {
    // From where a tenth is no whole nanosecond on, any digit means "a bit more": rounded up.
    truncated = truncated || rest % 10 != 0;
    inexact = inexact || (truncated && digit != '0');
    const std::int64_t tenth = rest / 10;
    fraction += tenth * (digit - '0');
    rest = tenth;
  }
  if (inexact) ++fraction;
  return total > limit - fraction ? limit : total + fraction;
}

}  // namespace

Duration parse_duration(std::string_view text) {
  if (text == "0") return {};
  const auto length = number_length(text);
  if (length == 0) throw_no_duration(text);
  for (const auto& unit : units) {
    if (text.substr(length) == unit.name) {
      return std::chrono::nanoseconds(scale(text.substr(0, length), unit.nanoseconds));
    }
  }
  throw_no_duration(text);
}

DurationRange parse_duration_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    const Duration both = parse_duration(text);
    return {both, both};
  }
  const DurationRange range{parse_duration(text.substr(0, dots)),
                            parse_duration(text.substr(dots + 2))};
  if (range.min > range.max) {
    throw std::invalid_argument(fmt::format("no range, it ends before it begins: \"{}\"", text));
  }
  return range;
}

std::string duration_text(Duration duration) {
  const std::int64_t nanoseconds = duration.value().count();
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    if (nanoseconds < unit->nanoseconds) continue;
    const bool whole = nanoseconds % unit->nanoseconds == 0;
    const auto value = static_cast<double>(nanoseconds) / static_cast<double>(unit->nanoseconds);
    return whole ? fmt::format("{}{}", nanoseconds / unit->nanoseconds, unit->name)
                 : fmt::format("{:.3g}{}", value, unit->name);
  }
  return "0s";
}

}  // namespace fairlane::run
