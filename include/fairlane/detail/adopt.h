// From a store's nodes to typed values. Not for direct use.
#pragma once

#include <optional>

#include "fairlane/detail/nodes.h"
#include "fairlane/lease.h"

namespace fairlane::detail {

/// Takes over the ownership of a node that is known to hold an `Event`.
template <class Event>
EventRef<Event> adopt_event(MessageNode* node) noexcept {
  return EventRef<Event>(Shared<EventNode<Event>>::adopt(static_cast<EventNode<Event>*>(node)));
}

/// Takes over the ownerships of a grant.
template <class Event>
Lease<Event> adopt_lease(const Grant& grant) noexcept {
  return Lease<Event>(grant.key, grant.expires_at, Shared<GroupId>::adopt(grant.group_id),
                      adopt_event<Event>(grant.event));
}
template <class Event>
std::optional<Lease<Event>> adopt_lease(const std::optional<Grant>& grant) noexcept {
  if (!grant) return std::nullopt;
  return adopt_lease<Event>(*grant);
}

}  // namespace fairlane::detail
