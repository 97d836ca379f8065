// Percentiles of durations in fixed memory.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fairlane::run {

/// Counts durations in buckets that are at most 1/16 wide of what they hold.
/// Threads: one at a time.
class Histogram {
 public:
  void add(std::chrono::nanoseconds value);

  /// The upper end of the bucket in which the share `quantile` (0..1) of all values is reached.
  std::chrono::nanoseconds quantile(double quantile) const;

 private:
  static constexpr std::size_t sub_buckets = 16;
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t upper_end(std::size_t bucket);

  std::array<std::uint64_t, 64 * sub_buckets> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace fairlane::run
