// Replays traces: `docs/trace-format.md`.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "replay/json_line.h"

namespace fairlane::replay {

struct Counts {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
};

/// Whether `got` has all that `expected` names: objects key by key, everything else, and whatever
/// stands in lists, exactly.
bool matches(const Json& expected, const Json& got);

/// Runs one trace on a transport opened from `url`.
///
/// Prints one JSON line for each operation to `results` if that is not null, and failed
/// expectations to `failures`. `file` is how the trace is named in messages.
/// Errors: BrokenTrace, its text beginning with file and line; what `fairlane::open` raises.
void replay(const std::string& url, const std::string& file, std::istream& trace,
            std::ostream* results, std::ostream& failures, Counts& counts);

}  // namespace fairlane::replay
