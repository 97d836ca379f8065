#include <algorithm>
#include <cstdint>

#include "fairlane/worker.h"

namespace fairlane {

namespace {

// The finalizer of splitmix64: each bit of the result depends on each bit of `x`.
std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

double share(std::uint64_t seed, std::uint64_t seq, std::uint32_t attempt) noexcept {
  return static_cast<double>(mix(mix(mix(seed) ^ seq) ^ attempt) >> 11U) * 0x1p-53;
}

std::int64_t doubled(std::int64_t least, std::int64_t most, std::uint32_t times) noexcept {
  if (least <= 0) return 0;
  if (times >= 63 || least > (most >> times)) return most;
  return least << times;
}

}  // namespace

Duration Backoff::delay(std::uint32_t attempt, std::uint64_t seq,
                        std::uint64_t seed) const noexcept {
  const auto full = std::max<std::int64_t>(
      0, doubled(min.value().count(), max.value().count(), attempt == 0 ? 0 : attempt - 1));
  const auto taken = static_cast<double>(full) * jitter * share(seed, seq, attempt);
  return std::chrono::nanoseconds(full - std::min(full, static_cast<std::int64_t>(taken)));
}

}  // namespace fairlane
