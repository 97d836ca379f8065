// Walks the tokens of a line once and keeps the values that stand at the paths asked for.
#include "run/json_key.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "fairlane/options.h"

namespace fairlane::run {

namespace {

JsonKey::Path split(std::string_view text, char separator) {
  JsonKey::Path path;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    path.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return path;
    begin = end + 1;
  }
}

std::string unescape_pointer(std::string_view segment, std::string_view pointer) {
  std::string plain;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '~') {
      plain += segment[i];
    } else if (i + 1 < segment.size() && (segment[i + 1] == '0' || segment[i + 1] == '1')) {
      plain += segment[++i] == '0' ? '~' : '/';
    } else {
      throw std::invalid_argument(
          fmt::format("no JSON pointer, ~ without 0 or 1: \"{}\"", pointer));
    }
  }
  return plain;
}

enum class Kind { absent, string, integer, number, other };

struct Value {
  Kind kind = Kind::absent;
  std::string text;       // of a string or a number
  std::string_view name;  // of another kind
};

/// One path, and how much of it the containers that are open now have matched.
struct Target {
  const JsonKey::Path* path;
  std::size_t matched = 0;
  bool next_matches = false;  // the value that comes now stands at path[0..matched]
  Value value = {};
};

/// The events of nlohmann's SAX parser; false ends the parse.
class Walk {
 public:
  explicit Walk(std::vector<Target>& targets) : targets_(targets) {}

  bool null() { return other("null"); }
  bool boolean(bool) { return other("a boolean"); }
  bool number_integer(std::int64_t value) {
    // Only what has a sign comes here.
    return take({Kind::integer, value == 0 ? "-0" : std::to_string(value), {}});
  }
  bool number_unsigned(std::uint64_t value) {
    return take({Kind::integer, std::to_string(value), {}});
  }
  bool number_float(double, const std::string& text) { return take({Kind::number, text, {}}); }
  bool string(std::string& text) {
    before_value();
    for (auto& target : targets_) {
      if (stands_at(target)) target.value = {Kind::string, text, {}};
    }
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return other("binary"); }
  bool start_object(std::size_t) { return open("an object", -1); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open("an array", 0); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    for (auto& target : targets_) {
      target.next_matches = candidate(target) && (*target.path)[target.matched] == name;
      // The last of several equal keys counts: forget what an earlier one held.
      if (target.next_matches) target.value = {};
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    failure_ = e.id == 406 ? fmt::format("a number too large to read at byte {}", position)
                           : fmt::format("no JSON at byte {}", position);
    return false;
  }

  const std::string& failure() const noexcept { return failure_; }

 private:
  /// Whether the open container is the one in which the path goes on.
  bool candidate(const Target& target) const {
    return target.matched + 1 == indices_.size() && target.matched < target.path->size();
  }
  bool stands_at(const Target& target) const {
    return target.next_matches && target.matched + 1 == target.path->size();
  }

  /// In an array the position of a value is its key.
  void before_value() {
    if (indices_.empty() || indices_.back() < 0) return;
    const auto index = indices_.back()++;
    for (auto& target : targets_) {
      target.next_matches =
          candidate(target) && (*target.path)[target.matched] == std::to_string(index);
    }
  }

  bool take(const Value& value) {
    before_value();
    for (auto& target : targets_) {
      if (stands_at(target)) target.value = value;
    }
    return true;
  }
  bool other(std::string_view name) { return take({Kind::other, {}, name}); }

  bool open(std::string_view name, std::int64_t first_index) {
    other(name);
    if (indices_.size() == max_json_depth) {
      failure_ = fmt::format("nested deeper than {} levels", max_json_depth);
      return false;
    }
    for (auto& target : targets_) {
      if (target.next_matches) ++target.matched;
      target.next_matches = false;
    }
    indices_.push_back(first_index);
    return true;
  }
  bool close() {
    indices_.pop_back();
    for (auto& target : targets_) {
      if (!indices_.empty() && target.matched >= indices_.size()) {
        target.matched = indices_.size() - 1;
      }
      target.next_matches = false;
    }
    return true;
  }

  std::vector<Target>& targets_;
  std::vector<std::int64_t> indices_;  // of each open array the next index; -1 for an object
  std::string failure_;
};

const Value* first_present(const std::vector<Target>& targets, std::size_t begin, std::size_t end) {
  for (; begin < end; ++begin) {
    if (targets[begin].value.kind != Kind::absent) return &targets[begin].value;
  }
  return nullptr;
}

std::optional<std::int32_t> as_int32(const Value& value) {
  std::int32_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, number);
  if (value.kind != Kind::integer || error != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// Where the line has what the library overlooks though it is no JSON: it takes a NUL for the end,
/// and skips a byte order mark, which has no place in the middle of a stream.
std::optional<std::size_t> overlooked(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) return 1;
  const auto nul = line.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  return nul + 1;
}

}  // namespace

JsonKey::JsonKey(std::string_view text) : text_(text) {
  if (text.empty()) throw std::invalid_argument("a key is empty");
  if (text.front() == '/') {
    for (const auto& segment : split(text.substr(1), '/')) {
      if (paths_.empty()) paths_.emplace_back();
      paths_.front().push_back(unescape_pointer(segment, text));
    }
    return;
  }
  paths_.push_back({text_});
  if (text.find('.') != std::string_view::npos) paths_.push_back(split(text, '.'));
}

KeyReader::KeyReader(const JsonKey* group_key, const JsonKey* priority_key)
    : group_key_(group_key), priority_key_(priority_key) {}

std::variant<EventKey, BadLine> KeyReader::read(std::string_view line) {
  std::vector<Target> targets;
  for (const auto& path : group_key_->paths()) targets.push_back({&path});
  const auto group_paths = targets.size();
  if (priority_key_ != nullptr) {
    for (const auto& path : priority_key_->paths()) targets.push_back({&path});
  }
  Walk walk(targets);
  if (const auto byte = overlooked(line)) return BadLine{fmt::format("no JSON at byte {}", *byte)};
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &walk)) return BadLine{walk.failure()};

  const Value* const group = first_present(targets, 0, group_paths);
  if (group == nullptr) return BadLine{fmt::format("it has no \"{}\"", group_key_->text())};
  if (group->kind == Kind::other) {
    return BadLine{fmt::format("its \"{}\" is {}, neither string nor number", group_key_->text(),
                               group->name)};
  }
  if (group->text.size() > max_group_id_bytes) {
    return BadLine{fmt::format("its group has {} bytes, more than {}", group->text.size(),
                               max_group_id_bytes)};
  }
  EventKey key{group->text, 0};
  const Value* const priority = first_present(targets, group_paths, targets.size());
  if (priority != nullptr) {
    const auto number = as_int32(*priority);
    if (!number) {
      return BadLine{fmt::format("its \"{}\" is no 32-bit integer", priority_key_->text())};
    }
    key.priority = *number;
  }
  return key;
}

}  // namespace fairlane::run
