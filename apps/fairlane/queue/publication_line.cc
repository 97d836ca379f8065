// Walks the tokens of a line once: no value of it is built, however large the event is.
#include "queue/publication_line.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "fairlane/options.h"
#include "run/json_key.h"
#include "text/base64.h"
#include "text/json_text.h"

namespace fairlane::command {

namespace {

enum class Kind { string, integer, number, other };

struct Value {
  Kind kind;
  std::string text;  ///< of a string its bytes, of anything else its compact JSON
};

struct Values {
  std::optional<Value> group = {};
  std::optional<Value> group_base64 = {};
  std::optional<Value> event = {};
  std::optional<Value> event_base64 = {};
  std::optional<Value> priority = {};

  std::optional<Value>* find(std::string_view name) {
    if (name == "group") return &group;
    if (name == "group_base64") return &group_base64;
    if (name == "event") return &event;
    if (name == "event_base64") return &event_base64;
    if (name == "priority") return &priority;
    return nullptr;
  }
};

/// The events of nlohmann's SAX parser; false ends the parse.
class Walk {
 public:
  bool null() { return scalar(Kind::other, "null"); }
  bool boolean(bool value) { return scalar(Kind::other, value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    // Only what has a sign comes here.
    return scalar(Kind::integer, value == 0 ? "-0" : std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) { return scalar(Kind::integer, std::to_string(value)); }
  bool number_float(double, const std::string& text) { return scalar(Kind::number, text); }
  bool string(std::string& text) {
    if (depth() == 1) return keep({Kind::string, std::move(text)});
    if (depth() == 0) return no_object();
    separate();
    text::append_json_string(compact_, text);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open('{'); }
  bool end_object() { return close('}'); }
  bool start_array(std::size_t) { return depth() == 0 ? no_object() : open('['); }
  bool end_array() { return close(']'); }

  bool key(std::string& name) {
    if (depth() > 1) {
      separate();
      text::append_json_string(compact_, name);
      compact_ += ':';
      first_ = true;  // No comma between the key and its value.
      return true;
    }
    target_ = values_.find(name);
    if (target_ == nullptr) return fail(fmt::format("unknown key \"{}\"", name));
    if (*target_) return fail(fmt::format("\"{}\" is there twice", name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    return fail(e.id == 406 ? fmt::format("a number too large to read at byte {}", position)
                            : fmt::format("no JSON at byte {}", position));
  }

  const std::string& failure() const noexcept { return failure_; }
  Values& values() noexcept { return values_; }

 private:
  std::size_t depth() const noexcept { return depth_; }
  bool fail(std::string what) {
    failure_ = std::move(what);
    return false;
  }
  bool no_object() { return fail("no JSON object"); }
  bool keep(Value value) {
    target_->emplace(std::move(value));
    return true;
  }
  /// Puts a comma before what is not the first of its container.
  void separate() {
    if (!first_) compact_ += ',';
    first_ = false;
  }
  bool scalar(Kind kind, const std::string& text) {
    if (depth() == 0) return no_object();
    if (depth() == 1) return keep({kind, text});
    separate();
    compact_ += text;
    return true;
  }
  bool open(char bracket) {
    if (depth_ == run::max_json_depth) {
      return fail(fmt::format("nested deeper than {} levels", run::max_json_depth));
    }
    if (depth_ == 1) compact_.clear();
    if (depth_ > 1) separate();
    if (depth_ > 0) compact_ += bracket;
    first_ = true;
    ++depth_;
    return true;
  }
  bool close(char bracket) {
    --depth_;
    first_ = false;
    if (depth_ > 0) compact_ += bracket;
    return depth_ != 1 || keep({Kind::other, std::move(compact_)});
  }

  Values values_;
  std::optional<Value>* target_ = nullptr;  // Of the member that is being read.
  std::string compact_;                     // The container that is being read.
  std::size_t depth_ = 0;
  bool first_ = true;
  std::string failure_;
};

std::string decoded(const Value& value, std::string_view name) {
  if (value.kind == Kind::string) {
    if (auto bytes = text::from_base64(value.text)) return *std::move(bytes);
  }
  throw BadPublication(fmt::format("\"{}\" is no base64", name));
}

std::string group_of(Values& values) {
  if (values.group.has_value() == values.group_base64.has_value()) {
    throw BadPublication(values.group ? "it has both \"group\" and \"group_base64\""
                                      : "it has no \"group\"");
  }
  if (values.group && values.group->kind == Kind::other) {
    throw BadPublication("its \"group\" is neither string nor number");
  }
  auto group =
      values.group ? std::move(values.group->text) : decoded(*values.group_base64, "group_base64");
  if (group.size() <= max_group_id_bytes) return group;
  throw BadPublication(
      fmt::format("its group has {} bytes, more than {}", group.size(), max_group_id_bytes));
}

std::string event_of(Values& values) {
  if (values.event.has_value() == values.event_base64.has_value()) {
    throw BadPublication(values.event ? "it has both \"event\" and \"event_base64\""
                                      : "it has no \"event\"");
  }
  if (values.event) return std::move(values.event->text);
  return decoded(*values.event_base64, "event_base64");
}

std::int32_t priority_of(const Values& values) {
  if (!values.priority) return 0;
  const auto& [kind, text] = *values.priority;
  std::int32_t priority = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, priority);
  if (kind == Kind::integer && error == std::errc() && rest == end) return priority;
  throw BadPublication("its \"priority\" is no 32-bit integer");
}

}  // namespace

PublicationLine parse_publication(std::string_view line) {
  // The library takes a NUL for the end, and skips a byte order mark.
  const auto nul = line.starts_with("\xef\xbb\xbf") ? 0 : line.find('\0');
  if (nul != std::string_view::npos) {
    throw BadPublication(fmt::format("no JSON at byte {}", nul + 1));
  }
  Walk walk;
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &walk)) {
    throw BadPublication(walk.failure());
  }
  Values& values = walk.values();
  PublicationLine publication;
  publication.group_id = group_of(values);
  publication.priority = priority_of(values);
  publication.event = event_of(values);
  return publication;
}

}  // namespace fairlane::command
