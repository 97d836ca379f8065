// Finds the group and the priority of an event without building the event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fairlane::run {

/// Where in an event a value stands.
///
/// "/a/0/b" is a JSON pointer. Anything else is a top-level key, dots included, or, where the event
/// has no such key, a dotted path.
class JsonKey {
 public:
  /// Errors: `std::invalid_argument` for an empty key or a malformed pointer.
  explicit JsonKey(std::string_view text);

  const std::string& text() const noexcept { return text_; }
  using Path = std::vector<std::string>;
  /// The paths to try, the first that leads to a value wins. One or two.
  const std::vector<Path>& paths() const noexcept { return paths_; }

 private:
  std::string text_;
  std::vector<Path> paths_;
};

/// What an event is published with.
struct EventKey {
  std::string group_id;
  std::int32_t priority = 0;
};

/// Why a line is none that can be published, for people to read.
struct BadLine {
  std::string reason;
};

/// Deeper nesting makes a bad line, so that a hostile one costs no memory.
inline constexpr std::size_t max_json_depth = 1000;

/// Reads keys of lines; keeps its buffers between lines.
/// Threads: one at a time.
class KeyReader {
 public:
  /// `priority_key` may be null: every priority is 0.
  KeyReader(const JsonKey* group_key, const JsonKey* priority_key);

  /// A string is the group; a number is its text, as the line has it. Of a key that is there twice
  /// the last counts, as for most readers of JSON.
  std::variant<EventKey, BadLine> read(std::string_view line);

 private:
  const JsonKey* group_key_;
  const JsonKey* priority_key_;
};

}  // namespace fairlane::run
