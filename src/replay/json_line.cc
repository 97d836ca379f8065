#include "replay/json_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace fairlane::replay {

namespace {

constexpr int max_depth = 256;

/// Watches the parser for what it would take in silence.
class Strictness {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > max_depth) {
      throw BrokenTrace("nested deeper than " + std::to_string(max_depth));
    }
    switch (event) {
      case Json::parse_event_t::object_start:
        keys_.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key:
        note_key(parsed.get<std::string>());
        break;
      default:
        break;
    }
    return true;
  }

 private:
  void note_key(const std::string& key) {
    if (!keys_.back().insert(key).second) throw BrokenTrace("the key \"" + key + "\" comes twice");
  }

  std::vector<std::set<std::string>> keys_;
};

[[noreturn]] void wrong_type(const char* key, const char* wanted, const Json& got) {
  throw BrokenTrace("\"" + std::string(key) + "\" has to be " + wanted + ", not " +
                    got.type_name());
}

/// A whole number, at the ends of its range where it lies beyond them.
std::int64_t integer(const char* key, const Json& number) {
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  constexpr auto min = std::numeric_limits<std::int64_t>::min();
  if (number.is_number_unsigned()) {
    const auto value = number.get<std::uint64_t>();
    return value > static_cast<std::uint64_t>(max) ? max : static_cast<std::int64_t>(value);
  }
  if (number.is_number_integer()) return number.get<std::int64_t>();
  if (!number.is_number()) wrong_type(key, "a whole number", number);
  const auto value = number.get<double>();
  if (value != std::floor(value)) wrong_type(key, "a whole number", number);
  if (value >= static_cast<double>(max)) return max;
  if (value <= static_cast<double>(min)) return min;
  return static_cast<std::int64_t>(value);
}

}  // namespace

Json parse_line(std::string_view line) {
  // The parser would take it for the end, and what follows would go unread.
  if (line.find('\0') != std::string_view::npos) throw BrokenTrace("a NUL byte is no JSON");
  try {
    Strictness strictness;
    return Json::parse(line, std::ref(strictness));
  } catch (const Json::exception& error) {
    throw BrokenTrace(error.what());
  }
}

std::string event_text(const Json& event) { return event.dump(); }

Keys::Keys(const Json& object) : object_(object) {
  if (!object.is_object()) {
    throw BrokenTrace("not a JSON object but " + std::string(object.type_name()));
  }
}

const Json* Keys::find(const char* key) {
  read_.emplace_back(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const Json& Keys::need(const char* key) {
  const Json* const found = find(key);
  if (found == nullptr) throw BrokenTrace("\"" + std::string(key) + "\" is missing");
  return *found;
}

std::string Keys::text(const char* key) {
  const Json& found = need(key);
  if (!found.is_string()) wrong_type(key, "a string", found);
  return found.get<std::string>();
}

std::string Keys::text(const char* key, const char* default_value) {
  return optional_text(key).value_or(default_value);
}

std::optional<std::string> Keys::optional_text(const char* key) {
  const Json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) wrong_type(key, "a string", *found);
  return found->get<std::string>();
}

Json Keys::value(const char* key, const Json& default_value) {
  const Json* const found = find(key);
  return found == nullptr ? default_value : *found;
}

bool Keys::boolean(const char* key, bool default_value) {
  const Json* const found = find(key);
  if (found == nullptr) return default_value;
  if (!found->is_boolean()) wrong_type(key, "true or false", *found);
  return found->get<bool>();
}

Duration Keys::milliseconds(const char* key) {
  return std::chrono::milliseconds(integer(key, need(key)));
}

Duration Keys::milliseconds(const char* key, Duration default_value) {
  const Json* const found = find(key);
  if (found == nullptr) return default_value;
  return std::chrono::milliseconds(integer(key, *found));
}

std::int32_t Keys::int32(const char* key, std::int32_t default_value) {
  const Json* const found = find(key);
  if (found == nullptr) return default_value;
  const auto value = integer(key, *found);
  if (!std::in_range<std::int32_t>(value)) {
    note_out_of_range(key, "is no 32-bit integer", *found);
    return 0;
  }
  return static_cast<std::int32_t>(value);
}

std::uint64_t Keys::count(const char* key) {
  const Json& found = need(key);
  const auto value = integer(key, found);
  if (value < 0) {
    note_out_of_range(key, "is negative", found);
    return 0;
  }
  return static_cast<std::uint64_t>(value);
}

std::uint64_t Keys::count(const char* key, std::uint64_t default_value) {
  if (object_.contains(key)) return count(key);
  read_.emplace_back(key);
  return default_value;
}

const Json& Keys::array(const char* key) {
  const Json& found = need(key);
  if (!found.is_array()) wrong_type(key, "a list", found);
  return found;
}

void Keys::finish() const {
  refuse_unknown();
  refuse_out_of_range();
}

void Keys::refuse_unknown() const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(read_.begin(), read_.end(), key) == read_.end()) {
      throw BrokenTrace("unknown key \"" + key + "\"");
    }
  }
}

void Keys::refuse_out_of_range() const {
  if (out_of_range_) throw std::invalid_argument(*out_of_range_);
}

void Keys::note_out_of_range(const char* key, const char* what, const Json& number) {
  if (!out_of_range_) out_of_range_ = std::string(key) + " " + what + ": " + number.dump();
}

}  // namespace fairlane::replay
