// What a server has to do for a queue: one round trip for each call. Everything else that a
// transport is (judging arguments, totals, waiting) is the same for all servers:
// remote_transport.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/control.h"
#include "fairlane/lease.h"
#include "fairlane/transport.h"

namespace fairlane::remote {

/// What a call changed that matters beyond its answer.
struct Effect {
  /// Of the groups that the call may have made claimable, the highest priority.
  std::optional<std::int32_t> claimable = std::nullopt;
  /// A message left: who waits for room may try.
  bool room = false;
  /// A lease or park that the call began or prolonged ends so long after the call.
  Duration ends_in = Duration::max();
  /// After a claim that was asked to look further: the highest priority still claimable.
  std::optional<std::int32_t> more = std::nullopt;
  /// Messages that it moved to the dead letters: by the clock, a nack or a reject.
  std::uint64_t died = 0;
};

template <class Value>
struct Answer {
  Value value;
  Effect effect = {};
};

struct Message {
  std::string_view group_id;
  std::string_view event;
  std::int32_t priority = 0;
};

struct ClaimRequest {
  std::size_t count = 1;
  std::string_view worker_id;
  Duration visibility;
  std::int32_t min_priority = 0;
  bool look_further = false;  ///< others of this process wait: fill `Effect::more`
};

struct Claimed {
  LeaseKey key;
  Instant expires_at;
  std::string group_id;
  std::string event;
};

/// The part of a lease by which its message is found and judged.
struct LeaseName {
  std::string_view group_id;
  std::uint64_t fence = 0;
  std::uint64_t seq = 0;
};

struct Settlement {
  enum class Verb { nack, extend, release, reject } verb;
  Duration duration = {};        ///< of a nack the delay, of an extend the visibility
  std::string_view reason = {};  ///< of a reject
};

struct AckedAndClaimed {
  std::vector<Settled> settled;
  std::vector<Claimed> claimed;
};

struct Redriven {
  enum class Outcome { done, not_found, full } outcome;
  std::uint64_t seq = 0;
};

/// What those who wait in this process wait for.
struct Wishes {
  std::optional<std::int32_t> min_priority = std::nullopt;  ///< the lowest floor of a claim
  bool room = false;
  friend bool operator==(const Wishes&, const Wishes&) = default;
};

/// What a waiter's process has to know to sleep well.
struct Look {
  std::optional<std::int32_t> claimable = std::nullopt;  ///< the highest priority claimable now
  /// The first lease or park of the queue ends so long after now; it is over the instant after.
  std::optional<Duration> ends_in = std::nullopt;
};

/// Who is told what other processes did. Threads: any; called with no lock of the backend's held.
class Listener {
 public:
  virtual ~Listener() = default;
  /// A group of this priority became claimable.
  virtual void on_claimable(std::int32_t priority) = 0;
  /// A message left.
  virtual void on_room() = 0;
  /// A lease or park was begun that ends sooner than a look would notice (`look_interval`).
  virtual void on_short_time() = 0;
  /// Something may have been missed: the connection was lost and is there again.
  virtual void on_gap() = 0;
};

/// How long a waiting process sleeps before it looks by itself. Whatever ends later than that needs
/// no telling: the next look sees it in time. One second: a query a second for each process that
/// waits costs a server nothing, and it bounds how late a wake-up comes whose sender was killed.
inline constexpr Duration look_interval = std::chrono::seconds(1);

/// One queue on one server.
///
/// Threads:   all members from any thread, but construction and destruction.
/// Atomicity: each call is one transaction (one script), at one instant of the server's clock, or
///            at `now` if a test gave the queue a clock of its own.
/// Errors:    expected outcomes are values. `too_large` as soon as the rules are seen to be broken,
///            before room is judged. `unavailable` if nothing was sent; `outcome_unknown` if what
///            was sent may have taken effect; `closed` after `close`. No text holds a password.
/// Order:     the lapse of leases and parks comes first, as contract section 2, I4, has it.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// The identity of the store: the same for all who open this queue, and no other queue's.
  virtual std::uint64_t store() const noexcept = 0;
  /// The server's, as this process sees it, or the test's.
  virtual const std::shared_ptr<Clock>& clock() const noexcept = 0;

  /// All or nothing, in order. No value: there is no room.
  virtual Answer<std::optional<std::vector<std::uint64_t>>> publish(
      std::span<const Message> messages) = 0;
  /// As many claims at one instant.
  virtual Answer<std::vector<Claimed>> claim(const ClaimRequest& request) = 0;
  /// Acks in the order given, then, if asked, claims; at one instant.
  virtual Answer<AckedAndClaimed> ack(std::span<const LeaseName> leases,
                                      const ClaimRequest* then_claim) = 0;
  virtual Answer<Settled> settle(const LeaseName& lease, const Settlement& settlement) = 0;

  // The control plane, sections 5 and 6.
  virtual Answer<bool> set_suspended(std::string_view group_id, bool suspended) = 0;
  virtual Answer<std::uint64_t> terminate(std::string_view group_id) = 0;
  /// No value: there is no room.
  virtual Answer<std::optional<Cancelled>> cancel(std::string_view group_id,
                                                  std::string_view event) = 0;
  virtual Answer<GroupInfo> inspect(std::string_view group_id) = 0;
  virtual Answer<std::vector<std::string>> groups(const GroupQuery& query) = 0;
  virtual Answer<std::vector<QueuedMessage<Bytes>>> peek(std::string_view group_id,
                                                         std::size_t limit) = 0;
  /// What the store holds; the totals are left alone.
  virtual Answer<Stats> count() = 0;
  virtual Answer<std::vector<DeadLetter<Bytes>>> dead_letters(std::size_t limit,
                                                              std::uint64_t after_seq) = 0;
  virtual Answer<Redriven> redrive(std::uint64_t seq) = 0;
  /// False: there is no such dead letter.
  virtual Answer<bool> drop_dead(std::uint64_t seq) = 0;

  // Waiting.
  /// Looks, and from then on, for three look intervals on the wall, tells the listener what other
  /// processes do that these wishes could use. Connects a listening connection if need be.
  virtual Look look(Listener& listener, const Wishes& wishes) = 0;
  /// Passes on to the other processes that listen what a call of this one changed, if the call
  /// itself did not. Returns at once.
  virtual void tell_others(const Effect& effect) noexcept = 0;

  /// Gives back connections and threads; calls under way end, later ones raise `closed`. No
  /// listener is called after its return. Twice is fine.
  virtual void close() = 0;

 protected:
  Backend() = default;
};

}  // namespace fairlane::remote
