// What the scheduler knows of a message and of a group.
#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/detail/nodes.h"
#include "scheduler/ordered_index.h"
#include "scheduler/slot_pool.h"
#include "scheduler/worker_names.h"

namespace fairlane::scheduler {

/// A queued message: a link of its group's chain.
struct Message {
  detail::SharedNode* event;
  std::uint64_t next_seq;  // Of `next`: what the rotation needs when it becomes the head.
  Slot next;
  std::uint32_t attempts : 31;  // Claims so far.
  std::uint32_t lent : 1;       // Claimed before: the first lease took its ownership of the event.
  // From here on only listings and publishing look.
  std::uint64_t seq;
  std::int64_t published_at_ns;

  Slot& free_link() noexcept { return next; }
};

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
  // What a publish looks at stands together, with the id behind it.
  HeadState state;
  bool suspended;
  WorkerNames::Number worker;  // Who claimed the head last.
  Slot head;
  Slot tail;
  std::uint32_t messages;
  std::uint32_t prepaid;  // Ownerships of the node in stock, for leases to come.
};

/// The record and the id in one node, which leases keep alive: so a settle finds its group without
/// a look-up, and one that is gone shows by its fence.
struct Group final : GroupRecord, detail::GroupId {
  static Group* create(std::string_view id);
};

}  // namespace fairlane::scheduler
