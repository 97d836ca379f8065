// What one transport object did (section 6 of the contract).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "fairlane/control.h"

namespace fairlane::remote {

/// Threads: any.
class Totals {
 public:
  using Total = std::uint64_t Stats::*;

  void add(Total total, std::uint64_t count = 1) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == total) counts_[i].fetch_add(count, std::memory_order_relaxed);
    }
  }
  void put_into(Stats& stats) const noexcept {
    for (std::size_t i = 0; i < all.size(); ++i) {
      stats.*all[i] = counts_[i].load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::array<Total, 10> all = {
      &Stats::published,     &Stats::claims,   &Stats::redelivered, &Stats::acked,
      &Stats::nacks,         &Stats::released, &Stats::stale,       &Stats::dropped,
      &Stats::dead_lettered, &Stats::redriven};
  std::array<std::atomic<std::uint64_t>, all.size()> counts_{};
};

}  // namespace fairlane::remote
