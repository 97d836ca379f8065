// What passes between a typed transport and the store that knows events only as counted nodes.
// Not for direct use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fairlane/clock.h"
#include "fairlane/detail/shared_node.h"
#include "fairlane/lease.h"

namespace fairlane::detail {

/// A message to be published; the store takes over the caller's ownership of the event if it
/// stores it.
struct NodePublication {
  std::string_view group_id;
  SharedNode* event;
  std::int32_t priority;
};

/// What a settle names a claim by. The group's node is kept alive by the lease.
struct LeaseHandle {
  std::uint64_t store;
  std::uint64_t fence;
  std::uint64_t seq;
  GroupId* group;
};

/// A claim, with one ownership of the event and of the id that the receiver takes over.
struct Grant {
  LeaseKey key;
  Instant expires_at;
  GroupId* group_id;
  SharedNode* event;
};

/// As QueuedMessage, with one ownership of the event that the receiver takes over.
struct QueuedNode {
  std::uint64_t seq;
  SharedNode* event;
  std::uint32_t attempts;
};

/// As DeadLetter, with one ownership of the event.
struct DeadNode {
  std::uint64_t seq;
  std::string group_id;
  SharedNode* event;
  std::uint32_t attempts;
  std::int32_t priority;
  std::string worker_id;
  std::string reason;
};

}  // namespace fairlane::detail
