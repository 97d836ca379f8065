// The options of a queue: they belong to the queue, not to the program that opens it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlane {

/// In which order groups take turns (section 4 of the contract).
enum class Rotation {
  oldest_claim_first,  ///< smallest (last_claimed_at, seq of the head) first
  ready_order,         ///< one line: join at the end when active, and again when claimed
};

/// What becomes of a message that was claimed `max_attempts` times (section 5).
enum class WhenExhausted {
  dead_letter,    ///< it moves to the dead letters; its group goes on
  suspend_group,  ///< it stays the head and its group is suspended: order before progress
};

std::string_view to_string(Rotation rotation) noexcept;
std::string_view to_string(WhenExhausted policy) noexcept;
std::optional<Rotation> parse_rotation(std::string_view text) noexcept;
std::optional<WhenExhausted> parse_when_exhausted(std::string_view text) noexcept;

/// The rules that hold for a queue.
struct QueueRules {
  Rotation rotation = Rotation::oldest_claim_first;
  WhenExhausted when_exhausted = WhenExhausted::dead_letter;
  std::uint32_t max_attempts = 0;        ///< claims of one message; 0: no limit
  std::uint64_t max_messages = 0;        ///< queued messages in all; 0: no limit
  std::uint64_t max_group_messages = 0;  ///< queued messages of one group; 0: no limit
  std::uint64_t max_event_bytes = 0;     ///< bytes of one event; 0: no limit

  friend bool operator==(const QueueRules&, const QueueRules&) = default;
};

/// What the opener of a queue asks for: a rule that is not named is the stored one of a queue that
/// exists, else the default of `QueueRules`.
struct QueueOptions {
  std::optional<Rotation> rotation = std::nullopt;
  std::optional<WhenExhausted> when_exhausted = std::nullopt;
  std::optional<std::uint32_t> max_attempts = std::nullopt;
  std::optional<std::uint64_t> max_messages = std::nullopt;
  std::optional<std::uint64_t> max_group_messages = std::nullopt;
  std::optional<std::uint64_t> max_event_bytes = std::nullopt;
};

/// `options` laid over `stored`.
QueueRules resolve(const QueueOptions& options, QueueRules stored = {}) noexcept;

/// Bytes of the longest `group_id` (section 1 of the contract).
inline constexpr std::size_t max_group_id_bytes = 1024;

}  // namespace fairlane
