// Which shard keeps a group: rendezvous hashing. A release that answered otherwise would look for
// every group in the wrong place; tests/sharded/rendezvous_test.cc pins it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdexcept>

#include "fairlane/sharded_transport.h"

namespace fairlane {

std::uint32_t shard_of(std::string_view group_id, std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) throw std::invalid_argument("there is no shard to choose from");
  std::uint32_t best = numbers.front();
  if (numbers.size() == 1) return best;
  XXH64_hash_t best_weight = XXH64(group_id.data(), group_id.size(), best);
  for (const std::uint32_t number : numbers.subspan(1)) {
    const XXH64_hash_t weight = XXH64(group_id.data(), group_id.size(), number);
    if (weight > best_weight || (weight == best_weight && number < best)) {
      best = number;
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace fairlane
