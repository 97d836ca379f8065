#include "run/lines_protocol.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/json_text.h"
#include "text/utf8.h"

namespace fairlane::run {

namespace {

using Json = nlohmann::json;

[[noreturn]] void nonsense(std::string_view what, std::string_view line) {
  constexpr std::size_t shown = 80;
  throw Nonsense(fmt::format("answered nonsense ({}): {}{}", what,
                             text::to_valid_utf8(line.substr(0, shown)),
                             line.size() > shown ? "..." : ""));
}

Result result_of(const Json& answer, std::string_view line) {
  const auto found = answer.find("result");
  if (found == answer.end() || !found->is_string()) nonsense("no result", line);
  const auto& text = found->get_ref<const std::string&>();
  if (text == "done") return Result::done;
  if (text == "retry") return Result::retry;
  if (text == "dead") return Result::dead;
  nonsense("no such result", line);
}

/// The library takes a NUL for the end and skips a byte order mark.
bool is_json_line(std::string_view event) {
  return event.find_first_of(std::string_view("\n\0", 2)) == std::string_view::npos &&
         !event.starts_with("\xef\xbb\xbf") && Json::accept(event);
}

}  // namespace

void append_event_line(std::string& out, const Lease<Bytes>& lease, EventIs what) {
  out += '{';
  text::append_json_bytes(out, "group", lease.group_id());
  fmt::format_to(std::back_inserter(out), ",\"seq\":{},\"attempt\":{},", lease.seq(),
                 lease.attempt());
  const Bytes& event = lease.event();
  if (what == EventIs::json || is_json_line(event)) {
    out.append("\"event\":").append(event);
  } else {
    text::append_json_bytes(out, text::is_utf8(event) ? "event_text" : "event", event);
  }
  out += "}\n";
}

Answer parse_answer(std::string_view line) {
  // The library takes a NUL for the end.
  if (line.find('\0') != std::string_view::npos) nonsense("it holds a NUL", line);
  const auto parsed = Json::parse(line, nullptr, false);
  if (!parsed.is_object()) nonsense("not a JSON object", line);
  Answer answer;
  const auto seq = parsed.find("seq");
  if (seq == parsed.end() || !seq->is_number_unsigned()) nonsense("no seq", line);
  answer.seq = seq->get<std::uint64_t>();
  answer.result = result_of(parsed, line);
  if (const auto delay = parsed.find("delay_ms"); delay != parsed.end()) {
    if (!delay->is_number() || delay->get<double>() < 0) nonsense("delay_ms is no time", line);
    answer.delay = std::chrono::duration<double, std::milli>(delay->get<double>());
  }
  if (const auto reason = parsed.find("reason"); reason != parsed.end()) {
    if (!reason->is_string()) nonsense("reason is no string", line);
    answer.reason = reason->get<std::string>();
  }
  return answer;
}

}  // namespace fairlane::run
