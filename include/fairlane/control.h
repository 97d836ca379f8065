// The control plane: suspend, terminate, cancel, look inside, dead letters. Sections 5 and 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/lease.h"

namespace fairlane {

/// Why a group is, or is not, delivered.
enum class GroupState {
  absent,     ///< it holds no message
  ready,      ///< a claim at or below its priority could take its head
  leased,     ///< its head is in flight at a worker
  parked,     ///< its head was put back with a delay that has not passed
  suspended,  ///< nothing is in flight and it is suspended
};

std::string_view to_string(GroupState state) noexcept;

/// What `inspect` tells of one group.
struct GroupInfo {
  GroupState state = GroupState::absent;
  bool suspended = false;      ///< also while a live lease runs on, and while it holds nothing
  std::uint64_t messages = 0;  ///< the one in flight included
  std::int32_t priority = 0;   ///< meaningful unless absent
  Instant last_claimed_at{};   ///< the clock's 0: never since it became active
  std::optional<Instant> until = std::nullopt;          ///< leased or parked: its last instant
  std::optional<std::string> worker_id = std::nullopt;  ///< leased: by whom
  std::optional<std::uint32_t> attempt = std::nullopt;  ///< leased: which delivery
};

/// Which groups `groups` lists.
struct GroupQuery {
  bool suspended = false;   ///< the suspended ones, active or not, instead of the active ones
  std::size_t limit = 100;  ///< how many at the most
  /// Begin behind this id, in byte order; unset: with the very first.
  std::optional<std::string_view> after = std::nullopt;
};

/// What the store holds, and what this transport object did (section 6).
struct Stats {
  std::uint64_t groups = 0;     ///< active groups
  std::uint64_t ready = 0;      ///< messages that a claim could take now, whatever its floor
  std::uint64_t waiting = 0;    ///< messages behind their head
  std::uint64_t leased = 0;     ///< messages
  std::uint64_t parked = 0;     ///< messages
  std::uint64_t suspended = 0;  ///< messages of suspended groups, neither leased nor parked
  std::uint64_t dead = 0;       ///< dead letters
  Duration oldest_age{};        ///< how long ago the oldest queued message was published; 0: none

  std::uint64_t published = 0;      ///< messages stored, redrives and cancels included
  std::uint64_t claims = 0;         ///< leases given
  std::uint64_t redelivered = 0;    ///< leases with attempt > 1
  std::uint64_t acked = 0;          ///< messages removed by an ack
  std::uint64_t nacks = 0;          ///< nacks that answered done
  std::uint64_t released = 0;       ///< releases that answered done
  std::uint64_t stale = 0;          ///< answers of any kind that were stale
  std::uint64_t dropped = 0;        ///< by terminate, cancel and drop_dead
  std::uint64_t dead_lettered = 0;  ///< rejects included
  std::uint64_t redriven = 0;       ///< dead letters published again
};

/// A queued message as `peek` shows it.
template <class Event>
struct QueuedMessage {
  std::uint64_t seq;
  EventRef<Event> event;
  std::uint32_t attempts;  ///< claims so far
};

/// A message that was given up (section 5).
template <class Event>
struct DeadLetter {
  std::uint64_t seq;
  std::string group_id;
  EventRef<Event> event;
  std::uint32_t attempts;
  std::int32_t priority;  ///< of its group when it died
  std::string worker_id;  ///< who claimed it last
  std::string reason;     ///< of the reject; empty otherwise
};

struct Cancelled {
  std::uint64_t dropped;  ///< messages
  std::uint64_t seq;      ///< of the event published instead
};

/// The out-of-band calls of a transport; effective at once, also for claimers that already wait.
///
/// Threads, Atomicity, Errors: as the transport it belongs to.
/// Lifetime: borrowed from its transport.
template <class Event>
class Control {
 public:
  virtual ~Control() = default;

  /// Makes the group not claimable until `resume`; also one that holds nothing yet. Idempotent.
  virtual void suspend(std::string_view group_id) = 0;
  virtual void resume(std::string_view group_id) = 0;

  /// Drops every message of the group, the one in flight too; returns how many.
  virtual std::uint64_t terminate(std::string_view group_id) = 0;

  /// Drops every message but a head that is leased now, and publishes `event` behind that head.
  /// `event` is moved from only on success. Errors: `full`, `too_large`; then nothing changed.
  virtual Cancelled cancel(std::string_view group_id, Event&& event) = 0;

  virtual GroupInfo inspect(std::string_view group_id) = 0;

  /// A page of group ids in byte order.
  virtual std::vector<std::string> groups(const GroupQuery& query) = 0;

  /// The first `limit` messages of a group, head first.
  virtual std::vector<QueuedMessage<Event>> peek(std::string_view group_id, std::size_t limit) = 0;

  /// May scan the store.
  virtual Stats stats() = 0;

  /// A page of dead letters with `seq > after_seq`, in order of seq.
  virtual std::vector<DeadLetter<Event>> dead_letters(std::size_t limit,
                                                      std::uint64_t after_seq = 0) = 0;

  /// Publishes a dead letter again at the tail of its group; returns its new seq.
  /// Errors: `not_found`; `full`, and then it stays a dead letter.
  virtual std::uint64_t redrive(std::uint64_t seq) = 0;

  /// Errors: `not_found`.
  virtual void drop_dead(std::uint64_t seq) = 0;
};

}  // namespace fairlane
