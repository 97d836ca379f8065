// What a claim returns, and what a settle answers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "fairlane/clock.h"
#include "fairlane/detail/shared_node.h"

namespace fairlane {

/// What a call that acts through a lease answers.
enum class [[nodiscard]] Settled{
    done,   ///< it took effect
    stale,  ///< the lease was no longer current: nothing was changed
};

constexpr std::string_view to_string(Settled settled) noexcept {
  return settled == Settled::done ? "done" : "stale";
}

/// A shared handle on a published event: the very object, kept alive by any of its handles.
/// Threads: as `std::shared_ptr`. Empty only where a stored event could not be decoded.
template <class Event>
class EventRef {
 public:
  EventRef() noexcept = default;
  explicit EventRef(detail::Shared<detail::EventNode<Event>> node) noexcept
      : node_(std::move(node)) {}
  static EventRef make(Event&& event) {
    return EventRef(detail::Shared<detail::EventNode<Event>>::adopt(
        new detail::EventNode<Event>(std::move(event))));
  }

  Event& operator*() const noexcept { return node_->event; }
  Event* operator->() const noexcept { return &node_->event; }
  explicit operator bool() const noexcept { return static_cast<bool>(node_); }

 private:
  detail::Shared<detail::EventNode<Event>> node_;
};

/// What names a claim to the store that gave it. For implementers of transports.
struct LeaseKey {
  std::uint64_t store = 0;    ///< identity of the store; another's lease is a wrong argument
  std::uint64_t fence = 0;    ///< unique to the claim, never 0
  std::uint64_t seq = 0;      ///< the message
  std::uint32_t attempt = 0;  ///< 1 for the first delivery
};

/// The right to handle one message until `expires_at`, and to settle it once.
///
/// A value: copies are cheap and name the same claim. It keeps the event and the group's id alive
/// by itself, also after it has become stale and after the transport is gone. Dropping it settles
/// nothing: a forgotten lease runs out.
///
/// Threads: as a value; distinct copies may be used and destroyed on distinct threads.
template <class Event>
class Lease {
 public:
  Lease(LeaseKey key, Instant expires_at, detail::Shared<detail::GroupId> group_id,
        EventRef<Event> event) noexcept
      : key_(key),
        expires_at_(expires_at),
        group_id_(std::move(group_id)),
        event_(std::move(event)) {}

  std::uint64_t seq() const noexcept { return key_.seq; }
  /// Valid as long as any copy of this lease.
  std::string_view group_id() const noexcept { return group_id_->view(); }
  /// The object that was published. It is handed out again if this delivery does not end in `ack`,
  /// so a handler that moves it away can count on one delivery only.
  Event& event() const noexcept { return *event_; }
  const EventRef<Event>& event_ref() const noexcept { return event_; }
  /// How often the message was claimed, this claim included: 1 for the first delivery.
  std::uint32_t attempt() const noexcept { return key_.attempt; }
  /// As set by the claim; `extend` does not change the copy in hand.
  Instant expires_at() const noexcept { return expires_at_; }
  /// A number unique to this claim in its store.
  std::uint64_t fence() const noexcept { return key_.fence; }

  const LeaseKey& key() const noexcept { return key_; }
  const detail::Shared<detail::GroupId>& shared_group_id() const noexcept { return group_id_; }

 private:
  LeaseKey key_;
  Instant expires_at_;
  detail::Shared<detail::GroupId> group_id_;
  EventRef<Event> event_;
};

}  // namespace fairlane
