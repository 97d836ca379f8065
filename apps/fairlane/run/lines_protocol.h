// What passes between a worker and COMMAND in lines mode: a JSON line each way.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fairlane/transport.h"
#include "run/settler.h"

namespace fairlane::run {

/// COMMAND answered what is no answer.
class Nonsense : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an event is known to be.
enum class EventIs {
  json,   ///< JSON in one line, for it was read as such
  bytes,  ///< anything: others may have published it
};

/// Appends `{"group":..,"seq":..,"attempt":..,"event":..}` and a newline. The event stands there as
/// it is if it is JSON in one line. Other text is "event_text", and bytes that are no text are
/// "event_base64", as a group is "group_base64" then.
void append_event_line(std::string& out, const Lease<Bytes>& lease, EventIs what);

/// What COMMAND said of one event.
struct Answer {
  std::uint64_t seq = 0;
  Result result = Result::done;
  std::optional<Duration> delay = std::nullopt;  ///< of a retry; unset: the run's own
  std::string reason = {};
};

/// Longest answer, in bytes: more without an end is no answer.
inline constexpr std::size_t max_answer_bytes = std::size_t{1} << 20;

/// Errors: `Nonsense`.
Answer parse_answer(std::string_view line);

}  // namespace fairlane::run
