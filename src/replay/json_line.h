// One line of a trace as JSON, with the keys of its operation read and judged.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/duration.h"

namespace fairlane::replay {

using Json = nlohmann::ordered_json;

/// The trace itself is broken: not an outcome, but the end of the replay.
class BrokenTrace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses one line. Errors: BrokenTrace for what is not one JSON value of UTF-8 text, has a key
/// twice, or is nested deeper than any event should be.
Json parse_line(std::string_view line);

/// The compact text that counts as the event: no spaces, non-ASCII unescaped.
std::string event_text(const Json& event);

/// Reads the keys of one object and remembers which, so that an unknown one is found.
///
/// A key that is missing or of the wrong JSON type raises BrokenTrace at once. A number that no
/// caller of the library could pass is read as 0 and raises `std::invalid_argument`, as the library
/// would, but only from `finish`: what breaks the trace comes first, wherever it stands.
class Keys {
 public:
  explicit Keys(const Json& object);

  std::string text(const char* key);
  std::string text(const char* key, const char* default_value);
  Json value(const char* key, const Json& default_value);
  bool boolean(const char* key, bool default_value);
  std::optional<std::string> optional_text(const char* key);

  Duration milliseconds(const char* key);
  Duration milliseconds(const char* key, Duration default_value);
  std::int32_t int32(const char* key, std::int32_t default_value);
  std::uint64_t count(const char* key);
  std::uint64_t count(const char* key, std::uint64_t default_value);
  const Json& array(const char* key);

  /// To be called when all keys are read and before anything is done.
  /// Errors: as `refuse_unknown`, then as `refuse_out_of_range`.
  void finish() const;
  /// Errors: BrokenTrace if the object has a key that nobody read.
  void refuse_unknown() const;
  /// Errors: `std::invalid_argument` if a number was out of range.
  void refuse_out_of_range() const;

 private:
  void note_out_of_range(const char* key, const char* what, const Json& number);
  const Json* find(const char* key);
  const Json& need(const char* key);

  const Json& object_;
  std::vector<std::string_view> read_;
  std::optional<std::string> out_of_range_;  // the first, in words
};

}  // namespace fairlane::replay
