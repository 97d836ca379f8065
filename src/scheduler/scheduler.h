// The rules of the contract, and nothing else: no I/O, no threads, no clock reads, no events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/control.h"
#include "fairlane/detail/nodes.h"
#include "fairlane/options.h"
#include "scheduler/group_listing.h"
#include "scheduler/group_table.h"
#include "scheduler/ordered_index.h"
#include "scheduler/records.h"
#include "scheduler/worker_names.h"

namespace fairlane::scheduler {

/// The messages of a group that were cut off at one instant: a chain that is the receiver's, with
/// all ownerships of the events that the store had.
struct CutOff {
  detail::MessageNode* head = nullptr;
  std::uint64_t messages = 0;
};

/// Groups, leases and turns over messages that are counted nodes.
///
/// Threads:   guarded by the owner.
/// Time:      the owner reads a clock and calls `advance` before a verb whose answer depends on the
///            instant; all verbs then act at that instant.
/// Errors:    expected outcomes are values. `std::bad_alloc` leaves everything as it was.
/// Ownership: stored events and their ids are counted nodes. What leaves is handed to the caller,
///            who releases it when nothing is locked; the scheduler itself destroys no event.
/// Cost:      each verb O(log groups), claims also by the number of priorities in use; `advance`
///            O(log groups) for each lease or park that ran out, once.
class Scheduler {
 public:
  /// `store` is the identity that leases carry.
  Scheduler(const QueueRules& rules, std::uint64_t store);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  const QueueRules& rules() const noexcept { return rules_; }

  /// Moves on to `now`, or stays where it is if that is earlier; what ran out meanwhile takes
  /// effect.
  void advance(Instant now);

  /// For a publish whose answer does not depend on the instant: when it is, about.
  void stamp(Instant recent) noexcept {
    stamp_ns_ = std::max(stamp_ns_, recent.time_since_epoch().count());
  }

  // The verbs. A publish that is over a limit stores nothing and returns nothing.
  std::optional<std::uint64_t> publish(const detail::NodePublication& message);
  std::optional<std::vector<std::uint64_t>> publish_batch(
      std::span<const detail::NodePublication> messages);
  std::optional<detail::Grant> claim(std::string_view worker_id, Duration visibility,
                                     std::int32_t min_priority);
  /// `removed` is the message's ownership of the event, if done.
  Settled ack(const detail::LeaseHandle& lease, detail::MessageNode*& removed);
  Settled nack(const detail::LeaseHandle& lease, Duration delay);
  Settled extend(const detail::LeaseHandle& lease, Duration visibility);
  Settled release(const detail::LeaseHandle& lease);
  Settled reject(const detail::LeaseHandle& lease, std::string_view reason);

  // The control plane.
  void suspend(std::string_view group_id);
  void resume(std::string_view group_id);
  CutOff terminate(std::string_view group_id);
  std::optional<std::uint64_t> cancel(std::string_view group_id, detail::MessageNode* event,
                                      CutOff& dropped);
  GroupInfo inspect(std::string_view group_id) const;
  std::vector<std::string> groups(const GroupQuery& query);
  std::vector<detail::QueuedNode> peek(std::string_view group_id, std::size_t limit) const;
  Stats stats() const;
  void reset_totals() noexcept { totals_ = {}; }

  // Dead letters.
  std::vector<detail::DeadNode> dead_letters(std::size_t limit, std::uint64_t after_seq) const;
  enum class Redriven { done, not_found, full };
  Redriven redrive(std::uint64_t seq, std::uint64_t& new_seq);
  /// The letter's ownership of its event; null: not found.
  detail::MessageNode* drop_dead(std::uint64_t seq);

  // For those who wait.
  /// Whether a claim with this floor would return a lease.
  bool has_claimable(std::int32_t min_priority) const noexcept;
  /// The highest priority of a claimable group.
  std::optional<std::int32_t> highest_claimable() const noexcept;
  /// The last instant of the first lease or park whose end could make something claimable at or
  /// above the floor (or, with `deaths`, make room). May name an earlier one that does not.
  std::optional<Instant> next_expiry(std::int32_t min_priority, bool deaths) const noexcept;

  /// Each node of a message or dead letter, in no order.
  template <class Visit>
  void for_each_node(Visit visit) const {
    table_.for_each([&](const Group* group) {
      for (auto* node = group->head; node != nullptr; node = node->next) visit(node);
    });
    for (const auto& [seq, letter] : dead_) visit(letter.event);
  }

  /// Removes all messages and dead letters, as one chain, for the end.
  CutOff take_all() noexcept;

 private:
  using Classes = std::map<std::int32_t, PriorityClass, std::greater<>>;

  // Finding (scheduler.cc).
  std::uint32_t hash(std::string_view group_id) const noexcept;
  Group* find(std::uint32_t hash, std::string_view group_id) const noexcept;
  Group* find(std::string_view group_id) const noexcept { return find(hash(group_id), group_id); }
  static Group* current(const detail::LeaseHandle& lease) noexcept;
  bool has_room(std::uint64_t more, std::uint64_t group_messages,
                std::uint64_t group_more) const noexcept;

  // Moving a group between its states (transitions.cc).
  OrderKey rotation_key(const Group& group) const noexcept;
  static OrderKey expiry_key(const Group& group) noexcept;
  void withdraw(Group& group) noexcept;
  void set_free(Group& group) noexcept;
  void set_in_flight(Group& group, HeadState state, std::int64_t expiry_ns) noexcept;
  void prepare(Group& group);
  void fail_exhausted(Group& group);
  void lapse(Group& group);
  bool is_exhausted(const Group& group) const noexcept;

  // Making and removing (transitions.cc).
  Group& activate(std::string_view group_id, std::uint32_t hash, std::int32_t priority);
  void deactivate(Group& group) noexcept;
  void stamp(const detail::NodePublication& publication) const noexcept;
  std::uint64_t append(Group& group, detail::MessageNode& message) noexcept;
  std::uint64_t enter(const detail::NodePublication& publication);
  std::vector<std::uint64_t> enter_all(std::span<const detail::NodePublication> messages);
  void undo_append(Group& group, detail::MessageNode* former_tail) noexcept;
  detail::MessageNode* remove_head(Group& group) noexcept;
  void bury_head(Group& group, std::string_view reason);
  void drop_class_if_empty(PriorityClass& priority_class) noexcept;
  CutOff cut_off_all(Group& group) noexcept;
  CutOff cut_off_followers(Group& group) noexcept;

  Settled stale() noexcept {
    ++totals_.stale;
    return Settled::stale;
  }
  PriorityClass* next_class(std::int32_t min_priority) noexcept;
  // Inlined by force: a function that only prefetches has no effect in the compiler's eyes.
  [[gnu::always_inline]] void prefetch_following(const OrderedIndex& claimable) const noexcept;

  const QueueRules rules_;
  const std::uint64_t store_;
  const std::uint64_t hash_seed_;

  std::int64_t now_ns_ = 0;
  std::int64_t stamp_ns_ = 0;  // Of messages published before the next `advance`.
  std::uint64_t last_seq_ = 0;
  std::uint64_t last_fence_ = 0;
  std::uint64_t last_line_ = 0;

  GroupTable table_;
  Classes classes_;
  OrderedIndex in_flight_;
  WorkerNames workers_;
  std::set<std::string, std::less<>> suspended_;
  std::map<std::uint64_t, detail::DeadNode> dead_;
  GroupListing listing_;

  std::uint64_t queued_ = 0;
  std::uint64_t ready_ = 0;
  std::uint64_t leased_ = 0;
  std::uint64_t parked_ = 0;
  Stats totals_;  // Only its totals are kept here.
};

}  // namespace fairlane::scheduler
