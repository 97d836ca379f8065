// What the scheduler knows of a group.
#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/detail/nodes.h"
#include "scheduler/ordered_index.h"
#include "scheduler/worker_names.h"

namespace fairlane::scheduler {

/// The active groups of one priority.
struct PriorityClass {
  std::int32_t priority = 0;
  std::uint64_t groups = 0;
  OrderedIndex claimable;
};

enum class HeadState : std::uint8_t { free, leased, parked };

/// An active group's record. Only a head can be in flight, so the lease is the group's.
///
/// Which index a record stands in follows from it alone: in flight, the index by expiry; else, if
/// it is not suspended, its class's claimable index; else none.
struct GroupRecord {
  std::uint64_t fence;  // Of the current lease; 0: none. Outlives an expiry.
  std::int64_t last_claimed_at_ns;
  std::int64_t expiry_ns;  // Of the lease or park; meaningful in flight.
  std::uint64_t line;      // Place in ready_order.
  PriorityClass* priority_class;
  std::uint64_t head_seq;
  HeadState state;
  bool suspended;
  WorkerNames::Number worker;  // Who claimed the head last.
  // What a publish looks at stands together, with the id behind it.
  detail::MessageNode* head;
  detail::MessageNode* tail;
  std::uint32_t messages;
  std::uint32_t prepaid;  // Ownerships of the node in stock, for leases to come.
};

/// The record and the id in one node, which leases keep alive: so a settle finds its group without
/// a look-up, and one that is gone shows by its fence.
struct Group final : GroupRecord, detail::GroupId {
  /// With one owner and a stock of prepaid ones.
  static Group* create(std::string_view id);

  /// One ownership for a lease. Bought in bulk, since one at a time would cost each claim an atomic
  /// instruction.
  void lend() noexcept {
    if (prepaid == 0) {
      retain(bulk);
      prepaid = bulk;
    }
    --prepaid;
  }

 private:
  static constexpr std::uint32_t bulk = 1U << 16;
};

}  // namespace fairlane::scheduler
