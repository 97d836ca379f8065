// A line that `fairlane publish` reads.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlane::command {

/// The line is none that can be published.
class BadPublication : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PublicationLine {
  std::string group_id;
  std::string event;
  std::int32_t priority = 0;
};

/// Reads `{"group":..,"event":..,"priority":..}`. A group that is a number is its text, as for
/// `fairlane run`. An event that is a string is its bytes; any other value is its compact JSON
/// text, with keys in their order and fractions as they are written. `group_base64` and
/// `event_base64` stand for bytes that are no text. Errors: `BadPublication`, also for keys that
/// are unknown or there twice: a slip of the hand must not change what is published.
PublicationLine parse_publication(std::string_view line);

}  // namespace fairlane::command
