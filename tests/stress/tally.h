// What several workers saw of several groups: whether one was ever in two hands, or out of order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "fairlane/transport.h"
#include "support/seed.h"

namespace fairlane::stress {

/// How many operations a test does; `share` tells which part of them.
inline std::uint64_t operations(std::uint64_t share = 1) {
  return test::count_from_environment("FAIRLANE_STRESS_OPERATIONS", 1'000'000) / share;
}

inline constexpr std::size_t group_count = 4;

inline std::string group_name(std::size_t group) { return std::to_string(group); }

/// Threads: all members from any thread.
class Tally {
 public:
  /// A lease is in hand; its seq is higher than all that were finished in the group.
  void enter(const Lease<Bytes>& lease) {
    Group& group = of(lease);
    if (group.in_hand.fetch_add(1) != 0) ++shared_;
    if (group.finished.load() >= lease.seq()) ++out_of_order_;
  }
  /// About to be settled, while still in hand.
  void leave(const Lease<Bytes>& lease) { of(lease).in_hand.fetch_sub(1); }
  /// About to be acked: nothing at or below it may come again.
  void finish(const Lease<Bytes>& lease) {
    of(lease).finished.store(lease.seq());
    leave(lease);
  }

  std::uint64_t shared() const { return shared_; }
  std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  struct alignas(64) Group {
    std::atomic<int> in_hand{0};
    std::atomic<std::uint64_t> finished{0};
  };
  Group& of(const Lease<Bytes>& lease) {
    return groups_[static_cast<std::size_t>(lease.group_id().front() - '0')];
  }

  std::array<Group, group_count> groups_;
  std::atomic<std::uint64_t> shared_{0};
  std::atomic<std::uint64_t> out_of_order_{0};
};

}  // namespace fairlane::stress
