#include "replay/replay.h"

#include "replay/session.h"

namespace fairlane::replay {

namespace {

bool is_skipped(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#';
}

bool equal(const Json& a, const Json& b);

bool equal_objects(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items()) {
    const auto other = b.find(key);
    if (other == b.end() || !equal(value, *other)) return false;
  }
  return true;
}

bool equal_lists(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

// The keys of JSON objects have no order, other than the library's ordered ones compare.
bool equal(const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) return equal_objects(a, b);
  if (a.is_array() && b.is_array()) return equal_lists(a, b);
  return a == b;
}

}  // namespace

bool matches(const Json& expected, const Json& got) {
  if (!expected.is_object() || !got.is_object()) return equal(expected, got);
  for (const auto& [key, value] : expected.items()) {
    const auto found = got.find(key);
    if (found == got.end() || !matches(value, *found)) return false;
  }
  return true;
}

void replay(const std::string& url, const std::string& file, std::istream& trace,
            std::ostream* results, std::ostream& failures, Counts& counts) {
  Session session(url);
  std::string line;
  for (std::uint64_t number = 1; std::getline(trace, line); ++number) {
    if (is_skipped(line)) continue;
    const std::string where = file + ":" + std::to_string(number);
    try {
      const Json operation = parse_line(line);
      const Json result = session.run(operation);
      if (results != nullptr) {
        *results << Json{{"line", number}, {"op", operation["op"]}, {"result", result}}.dump()
                 << '\n';
      }
      const auto expected = operation.find("expect");
      if (expected == operation.end()) continue;
      const bool passed = matches(*expected, result);
      ++(passed ? counts.passed : counts.failed);
      if (!passed) {
        failures << where << ": expected " << expected->dump() << ", got " << result.dump() << '\n';
      }
    } catch (const BrokenTrace& error) {
      throw BrokenTrace(where + ": " + error.what());
    }
  }
  if (trace.bad()) throw BrokenTrace(file + ": cannot be read");
}

}  // namespace fairlane::replay
