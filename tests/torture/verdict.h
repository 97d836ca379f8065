// What a run left behind, judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fairlane::torture {

struct Verdict {
  std::uint64_t published = 0;  ///< events whose publish returned
  std::uint64_t handled = 0;    ///< deliveries
  std::uint64_t repeated = 0;   ///< of those, of an event handled before
  std::vector<std::string> complaints = {};
};

/// Nothing that was published is missing, each group was handled in order of seq, an event is
/// handled again only before the next one, and nobody complained.
Verdict judge(const std::string& folder);

}  // namespace fairlane::torture
