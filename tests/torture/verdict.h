// What a run left behind, judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fairlane::torture {

struct Verdict {
  std::uint64_t published = 0;  ///< events whose publish returned
  std::uint64_t maybe = 0;      ///< events whose publish ended with an unknown outcome
  std::uint64_t handled = 0;    ///< deliveries
  std::uint64_t repeated = 0;   ///< of those, of an event handled before
  std::uint64_t late = 0;       ///< leases that ran out in the hands of a living worker
  std::vector<std::string> complaints = {};
};

/// Of a run whose queue is empty: what was published was handled and acked, nothing else came, an
/// event is stored once, each group was handled in order of seq, what one publisher published to it
/// in his order, an event comes again only before its ack and before the next one comes, and nobody
/// complained.
Verdict judge(const std::string& folder);

}  // namespace fairlane::torture
