// The words of the contract, printed and parsed as they read.
#include <array>
#include <utility>

#include "fairlane/control.h"
#include "fairlane/error.h"
#include "fairlane/options.h"

namespace fairlane {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::outcome_unknown:
      return "outcome_unknown";
    case ErrorCode::full:
      return "full";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::incompatible:
      return "incompatible";
  }
  return "unknown";
}

std::string_view to_string(GroupState state) noexcept {
  switch (state) {
    case GroupState::absent:
      return "absent";
    case GroupState::ready:
      return "ready";
    case GroupState::leased:
      return "leased";
    case GroupState::parked:
      return "parked";
    case GroupState::suspended:
      return "suspended";
  }
  return "unknown";
}

std::string_view to_string(Rotation rotation) noexcept {
  return rotation == Rotation::ready_order ? "ready_order" : "oldest_claim_first";
}

std::string_view to_string(WhenExhausted policy) noexcept {
  return policy == WhenExhausted::suspend_group ? "suspend_group" : "dead_letter";
}

namespace {

template <class Enum, std::size_t n>
std::optional<Enum> parse(std::string_view text, const std::array<Enum, n>& values) noexcept {
  for (const auto value : values) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rotation> parse_rotation(std::string_view text) noexcept {
  return parse(text, std::array{Rotation::oldest_claim_first, Rotation::ready_order});
}

std::optional<WhenExhausted> parse_when_exhausted(std::string_view text) noexcept {
  return parse(text, std::array{WhenExhausted::dead_letter, WhenExhausted::suspend_group});
}

QueueRules resolve(const QueueOptions& options, QueueRules stored) noexcept {
  stored.rotation = options.rotation.value_or(stored.rotation);
  stored.when_exhausted = options.when_exhausted.value_or(stored.when_exhausted);
  stored.max_attempts = options.max_attempts.value_or(stored.max_attempts);
  stored.max_messages = options.max_messages.value_or(stored.max_messages);
  stored.max_group_messages = options.max_group_messages.value_or(stored.max_group_messages);
  stored.max_event_bytes = options.max_event_bytes.value_or(stored.max_event_bytes);
  return stored;
}

}  // namespace fairlane
