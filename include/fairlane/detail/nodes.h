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

/// A message to be published. If the store stores it, it takes over two ownerships of the event:
/// the message's, and one that the first lease of it gets, so that claiming needs no atomic
/// instruction. A message that was `lent` before comes with the first alone.
struct NodePublication {
  std::string_view group_id;
  MessageNode* event;
  std::int32_t priority;
  bool lent = false;
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
  MessageNode* event;
};

/// As QueuedMessage, with one ownership of the event that the receiver takes over.
struct QueuedNode {
  std::uint64_t seq;
  MessageNode* event;
  std::uint32_t attempts;
};

/// As DeadLetter, with one ownership of the event.
struct DeadNode {
  std::uint64_t seq;
  std::string group_id;
  MessageNode* event;
  std::uint32_t attempts;
  std::int32_t priority;
  std::string worker_id;
  std::string reason;
};

}  // namespace fairlane::detail
