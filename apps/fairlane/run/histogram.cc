// Buckets by the power of two and the four bits below it.
#include "run/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fairlane::run {

std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < sub_buckets) return static_cast<std::size_t>(value);
  const auto shift = static_cast<std::size_t>(std::bit_width(value)) - 5;
  return (shift + 1) * sub_buckets + static_cast<std::size_t>((value >> shift) - sub_buckets);
}

std::uint64_t Histogram::upper_end(std::size_t bucket) {
  if (bucket < sub_buckets) return bucket;
  const auto shift = bucket / sub_buckets - 1;
  return ((bucket % sub_buckets + sub_buckets + 1) << shift) - 1;
}

void Histogram::add(std::chrono::nanoseconds value) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(value.count(), 0));
  ++counts_[bucket_of(count)];
  ++total_;
}

std::chrono::nanoseconds Histogram::quantile(double quantile) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(total_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size() && total_ > 0; ++bucket) {
    seen += counts_[bucket];
    if (seen >= std::max<std::uint64_t>(wanted, 1)) {
      return std::chrono::nanoseconds(static_cast<std::int64_t>(upper_end(bucket)));
    }
  }
  return {};
}

}  // namespace fairlane::run
