// Any bytes as a line to publish. An event that is JSON and no string is JSON again.
#include <cstdlib>
#include <string>

#include "queue/publication_line.h"
#include "text/json_text.h"
#include "text/terminal_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fairlane::command;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try {
    const auto read = parse_publication(line);
    std::string again = "{";
    fairlane::text::append_json_bytes(again, "group", read.group_id);
    again += ',';
    fairlane::text::append_json_bytes(again, "event", read.event);
    again += '}';
    const auto same = parse_publication(again);
    if (same.group_id != read.group_id || same.event != read.event) std::abort();
  } catch (const BadPublication&) {
  }
  // What a table shows of any bytes drives no terminal.
  for (const char c : fairlane::text::terminal_text(line, 40)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
  }
  return 0;
}
