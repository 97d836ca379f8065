// Numbers and words as the scripts read and write them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fairlane/clock.h"

namespace fairlane::redis {

/// The scripts count in microseconds below 2^53; the last is never reached.
inline constexpr std::int64_t never = (std::int64_t{1} << 53) - 1;

/// Rounded up; at most `never`.
inline std::int64_t microseconds(Duration duration) noexcept {
  const auto nanoseconds = duration.value().count();
  return std::min(nanoseconds / 1000 + (nanoseconds % 1000 > 0 ? 1 : 0), never);
}
inline std::int64_t microseconds(Instant instant) noexcept {
  return std::chrono::floor<std::chrono::microseconds>(instant.time_since_epoch()).count();
}
inline Instant instant(std::int64_t microseconds) noexcept {
  return microseconds >= never ? Instant::max() : Instant(std::chrono::microseconds(microseconds));
}

/// Bytes before a message's event: its seq, and when it was published.
inline constexpr std::size_t message_head = 16;

/// The lowest `size` bytes, the highest of them first.
inline std::string to_bytes(std::uint64_t number, std::size_t size = 8) {
  std::string bytes(size, '\0');
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8U) {
    *byte = static_cast<char>(number & 0xffU);
  }
  return bytes;
}
/// Of the first `size` bytes.
inline std::uint64_t from_bytes(std::string_view bytes, std::size_t size = 8) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, size)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

/// What finish.lua tells.
struct Words {
  std::string sender;
  std::optional<std::int32_t> claimable;
  bool room;
  bool short_time;

  static std::optional<Words> read(std::string_view bytes) {
    if (bytes.size() != 13) return std::nullopt;
    const auto said = static_cast<unsigned char>(bytes[0]);
    Words words{std::string(bytes.substr(5)), std::nullopt, (said & 2U) != 0, (said & 4U) != 0};
    if ((said & 1U) != 0) {
      words.claimable = static_cast<std::int32_t>(from_bytes(bytes.substr(1), 4));
    }
    return words;
  }
};

}  // namespace fairlane::redis
