// The verbs: one abstract class that every engine implements. Sections 3 and 7 of the contract.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/control.h"
#include "fairlane/error.h"
#include "fairlane/lease.h"
#include "fairlane/options.h"

namespace fairlane {

/// One message of a `publish_batch`.
template <class Event>
struct Publication {
  std::string_view group_id;
  Event event;
  std::int32_t priority = 0;
};

/// What `ack_claim` returns.
template <class Event>
struct AckedAndClaimed {
  Settled settled;
  std::optional<Lease<Event>> lease;
};

/// A queue partitioned into groups: in order within a group, one message of a group in flight, in
/// parallel and by turns across groups. `docs/contract.md` is the whole promise.
///
/// Threads:    every member may be called from any thread at any time, but destruction.
/// Atomicity:  each call takes effect whole or not at all, at one instant between its call and its
///             return.
/// Errors:     `std::invalid_argument` for a `group_id` past 1,024 bytes, a negative duration, a
///             lease of another store; judged before anything else. `TransportError` for what the
///             environment does. After any error the caller still owns the event.
/// Time:       durations saturate and never fire early; `now` is the transport's clock. A lease or
///             park is in flight up to and including its expiry.
/// Lifetime:   leases and events outlive the transport. All calls have to have returned before it
///             is destroyed.
template <class Event>
class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Appends to the group's FIFO and returns the message's seq. `priority` is taken only if this
  /// makes the group active. `event` is moved from only on success.
  /// Errors: `full`, `too_large`.
  virtual std::uint64_t publish(std::string_view group_id, Event&& event,
                                std::int32_t priority = 0) = 0;
  std::uint64_t publish(std::string_view group_id, const Event& event,
                        std::int32_t priority = 0) requires std::copy_constructible<Event> {
    Event copy(event);
    return publish(group_id, std::move(copy), priority);
  }

  /// All of them, in order, or none: then every event is still the caller's.
  virtual std::vector<std::uint64_t> publish_batch(std::span<Publication<Event>> messages) = 0;

  /// Like `publish`, but waits for room up to `timeout` or until `stop`; nothing if there was none.
  /// Errors: `closed` if there is no room and the transport is closed; `too_large`.
  virtual std::optional<std::uint64_t> publish_wait(std::string_view group_id, Event&& event,
                                                    std::int32_t priority = 0,
                                                    Duration timeout = Duration::max(),
                                                    std::stop_token stop = {}) = 0;

  /// Leases the head of the group whose turn it is, until `now + visibility`. Never blocks.
  /// `worker_id` is only for people to read.
  virtual std::optional<Lease<Event>> claim(std::string_view worker_id, Duration visibility,
                                            std::int32_t min_priority = 0) = 0;

  /// Up to `n` heads of different groups, as `n` claims at one instant would give them.
  virtual std::vector<Lease<Event>> claim_batch(std::size_t n, std::string_view worker_id,
                                                Duration visibility,
                                                std::int32_t min_priority = 0) = 0;

  /// Like `claim`, but waits up to `timeout` or until `stop` for something to become claimable for
  /// any reason. A lease that was given is returned even if `stop` came meanwhile.
  virtual std::optional<Lease<Event>> claim_wait(std::string_view worker_id, Duration visibility,
                                                 std::int32_t min_priority = 0,
                                                 Duration timeout = Duration::max(),
                                                 std::stop_token stop = {}) = 0;

  /// The message was handled: it is removed.
  virtual Settled ack(const Lease<Event>& lease) = 0;
  virtual std::vector<Settled> ack_batch(std::span<const Lease<Event>> leases) = 0;

  /// An ack, then a claim, at one instant; the claim also when the ack is stale.
  virtual AckedAndClaimed<Event> ack_claim(const Lease<Event>& lease, std::string_view worker_id,
                                           Duration visibility, std::int32_t min_priority = 0) = 0;

  /// Puts the message back: free at once, or parked until `now + delay`.
  virtual Settled nack(const Lease<Event>& lease, Duration delay = {}) = 0;

  /// The heartbeat: the lease now runs until `now + visibility`. Revives one that ran out and that
  /// nobody claimed since.
  virtual Settled extend(const Lease<Event>& lease, Duration visibility) = 0;

  /// Hands the message back unhandled: free at once, and this claim is not counted as an attempt.
  virtual Settled release(const Lease<Event>& lease) = 0;

  /// Moves the message to the dead letters.
  virtual Settled reject(const Lease<Event>& lease, std::string_view reason = {}) = 0;

  /// Gives back what the backend holds and wakes everyone who waits. Twice is fine.
  virtual void close() = 0;

  /// The control plane of the same store; lives as long as this transport.
  virtual Control<Event>& control() = 0;

  /// The clock by which callers of this transport wait and time their heartbeats.
  virtual const std::shared_ptr<Clock>& clock() const = 0;

 protected:
  Transport() = default;
};

/// What durable transports keep.
using Bytes = std::string;

}  // namespace fairlane
