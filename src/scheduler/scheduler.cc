// The verbs of section 3 at one instant.
#include "scheduler/scheduler.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <random>

namespace fairlane::scheduler {

using detail::Grant;
using detail::NodePublication;
using detail::SharedNode;

namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::int64_t expiry_after(std::int64_t now_ns, Duration duration) noexcept {
  return saturating_add(Instant(std::chrono::nanoseconds(now_ns)), duration)
      .time_since_epoch()
      .count();
}

}  // namespace

// The hash is seeded at random, so that nobody can choose ids that collide.
Scheduler::Scheduler(const QueueRules& rules, std::uint64_t store)
    : rules_(rules), store_(store), hash_seed_(random_seed()) {}

Scheduler::~Scheduler() {
  table_.for_each([this](Slot slot) {
    auto* const id = groups_[slot].id;
    if (id->release()) detail::GroupId::destroy(id);
  });
}

std::uint32_t Scheduler::hash(std::string_view group_id) const noexcept {
  return static_cast<std::uint32_t>(
      XXH3_64bits_withSeed(group_id.data(), group_id.size(), hash_seed_));
}

Slot Scheduler::find(std::uint32_t hash, std::string_view group_id) const noexcept {
  return table_.find(hash, [&](Slot slot) {
    const Group& group = groups_[slot];
    messages_.prefetch(group.tail);  // Where a publish goes next, while the id is on its way.
    return group.id->view() == group_id;
  });
}

Slot Scheduler::find(const LeaseKey& key) const noexcept {
  if (!groups_.is_mapped(key.slot) || groups_[key.slot].fence != key.fence) return no_slot;
  return key.slot;
}

bool Scheduler::has_room(std::uint64_t more, std::uint64_t group_messages,
                         std::uint64_t group_more) const noexcept {
  const auto within = [](std::uint64_t limit, std::uint64_t held, std::uint64_t added) {
    return limit == 0 || (held <= limit && added <= limit - held);
  };
  return within(rules_.max_messages, queued_, more) &&
         within(rules_.max_group_messages, group_messages, group_more);
}

void Scheduler::advance(Instant now) {
  now_ns_ = std::max(now_ns_, now.time_since_epoch().count());
  while (!in_flight_.empty() && in_flight_.front().key.major < now_ns_) {
    lapse(in_flight_.front().slot);
  }
}

std::optional<std::uint64_t> Scheduler::publish(const NodePublication& message) {
  if (rules_.max_messages != 0 || rules_.max_group_messages != 0) {
    const Slot slot = find(message.group_id);
    const std::uint64_t held = slot == no_slot ? 0 : groups_[slot].messages;
    if (!has_room(1, held, 1)) return std::nullopt;
  }
  return enter(message.group_id, message.priority, message.event);
}

std::optional<std::vector<std::uint64_t>> Scheduler::publish_batch(
    std::span<const NodePublication> messages) {
  std::map<std::string_view, std::uint64_t> by_group;
  if (rules_.max_group_messages != 0) {
    for (const auto& message : messages) ++by_group[message.group_id];
  }
  bool room = has_room(messages.size(), 0, 0);
  for (const auto& [group_id, more] : by_group) {
    const Slot slot = find(group_id);
    room = room && has_room(0, slot == no_slot ? 0 : groups_[slot].messages, more);
  }
  if (!room) return std::nullopt;
  return enter_all(messages);
}

std::vector<std::uint64_t> Scheduler::enter_all(std::span<const NodePublication> messages) {
  std::vector<std::uint64_t> seqs;
  std::vector<std::pair<Slot, Slot>> former_tails;  // Of the group before its message came.
  seqs.reserve(messages.size());
  former_tails.reserve(messages.size());
  try {
    for (const auto& message : messages) {
      const Slot group = find(message.group_id);
      const Slot tail = group == no_slot ? no_slot : groups_[group].tail;
      seqs.push_back(enter(message.group_id, message.priority, message.event));
      former_tails.emplace_back(group == no_slot ? find(message.group_id) : group, tail);
    }
  } catch (...) {
    for (; !former_tails.empty(); former_tails.pop_back()) {
      undo_append(former_tails.back().first, former_tails.back().second);
    }
    throw;
  }
  return seqs;
}

void Scheduler::undo_append(Slot slot, Slot former_tail) noexcept {
  --totals_.published;
  if (former_tail == no_slot) {
    withdraw(slot);
    remove_head(slot);
    return;
  }
  Group& group = groups_[slot];
  messages_.release(group.tail);
  messages_[former_tail].next = no_slot;
  group.tail = former_tail;
  --group.messages;
  --queued_;
}

PriorityClass* Scheduler::next_class(std::int32_t min_priority) noexcept {
  PriorityClass* next = nullptr;
  for (auto& [priority, candidate] : classes_) {
    if (priority < min_priority) break;
    if (candidate.claimable.empty()) continue;
    if (next == nullptr || candidate.claimable.front().key < next->claimable.front().key) {
      next = &candidate;
    }
  }
  return next;
}

inline void Scheduler::prefetch_following(const OrderedIndex& claimable) const noexcept {
  // On a big store all that a claim touches is cold, but whose turn it is next is known: each claim
  // fetches one more step of the way from a record to its event for those that follow.
  if (const Slot slot = claimable.peek(3); slot != no_slot) groups_.prefetch(slot);
  if (const Slot slot = claimable.peek(2); slot != no_slot) {
    messages_.prefetch(groups_[slot].head);
    __builtin_prefetch(groups_[slot].id, 1);
  }
  if (const Slot slot = claimable.peek(1); slot != no_slot) {
    __builtin_prefetch(messages_[groups_[slot].head].event, 1);
  }
}

std::optional<Grant> Scheduler::claim(std::string_view worker_id, Duration visibility,
                                      std::int32_t min_priority) {
  PriorityClass* const next = next_class(min_priority);
  if (next == nullptr) return std::nullopt;
  const Slot slot = next->claimable.front().slot;
  prefetch_following(next->claimable);
  Group& group = groups_[slot];
  in_flight_.prepare();
  const auto worker = workers_.acquire(worker_id);
  next->claimable.pop_front();
  --ready_;
  workers_.release(group.worker);
  group.worker = worker;
  group.last_claimed_at_ns = now_ns_;
  group.line = ++last_line_;
  group.fence = ++last_fence_;
  set_in_flight(slot, HeadState::leased, expiry_after(now_ns_, visibility));

  Message& head = messages_[group.head];
  ++head.attempts;
  ++totals_.claims;
  if (head.attempts > 1) ++totals_.redelivered;
  head.event->retain();
  group.id->retain();
  return Grant{{store_, group.fence, group.head_seq, slot, head.attempts},
               Instant(std::chrono::nanoseconds(group.expiry_ns)),
               group.id,
               head.event};
}

Settled Scheduler::ack(const LeaseKey& key, SharedNode*& removed) {
  const Slot slot = find(key);
  if (slot == no_slot) return stale();
  prepare(groups_[slot]);
  withdraw(slot);
  removed = remove_head(slot);
  ++totals_.acked;
  return Settled::done;
}

Settled Scheduler::nack(const LeaseKey& key, Duration delay) {
  const Slot slot = find(key);
  if (slot == no_slot) return stale();
  Group& group = groups_[slot];
  prepare(group);
  if (is_exhausted(group)) {
    fail_exhausted(slot);
  } else {
    withdraw(slot);
    group.fence = 0;
    if (delay > Duration()) {
      set_in_flight(slot, HeadState::parked, expiry_after(now_ns_, delay));
    } else {
      set_free(slot);
    }
  }
  ++totals_.nacks;
  return Settled::done;
}

Settled Scheduler::extend(const LeaseKey& key, Duration visibility) {
  const Slot slot = find(key);
  if (slot == no_slot) return stale();
  prepare(groups_[slot]);
  withdraw(slot);
  set_in_flight(slot, HeadState::leased, expiry_after(now_ns_, visibility));
  return Settled::done;
}

Settled Scheduler::release(const LeaseKey& key) {
  const Slot slot = find(key);
  if (slot == no_slot) return stale();
  Group& group = groups_[slot];
  prepare(group);
  withdraw(slot);
  group.fence = 0;
  --messages_[group.head].attempts;
  set_free(slot);
  ++totals_.released;
  return Settled::done;
}

Settled Scheduler::reject(const LeaseKey& key, std::string_view reason) {
  const Slot slot = find(key);
  if (slot == no_slot) return stale();
  prepare(groups_[slot]);
  bury_head(slot, reason);
  return Settled::done;
}

bool Scheduler::has_claimable(std::int32_t min_priority) const noexcept {
  const auto highest = highest_claimable();
  return highest && *highest >= min_priority;
}

std::optional<std::int32_t> Scheduler::highest_claimable() const noexcept {
  if (ready_ == 0) return std::nullopt;
  for (const auto& [priority, candidate] : classes_) {
    if (!candidate.claimable.empty()) return priority;
  }
  return std::nullopt;
}

std::optional<Instant> Scheduler::next_expiry(std::int32_t min_priority,
                                              bool deaths) const noexcept {
  // Looking past groups that interest nobody saves wake-ups; looking far would cost more.
  constexpr int furthest = 64;
  std::optional<Instant> next;
  int seen = 0;
  in_flight_.visit_while([&](const OrderedIndex::Entry& entry) {
    const Group& group = groups_[entry.slot];
    const bool serves = !group.suspended && group.priority_class->priority >= min_priority;
    if (!serves && !deaths && ++seen < furthest) return true;
    next = Instant(std::chrono::nanoseconds(entry.key.major));
    return false;
  });
  return next;
}

void Scheduler::take_all(std::vector<SharedNode*>& removed) {
  removed.reserve(removed.size() + queued_ + dead_.size());
  std::vector<Slot> groups;
  groups.reserve(table_.size());
  table_.for_each([&](Slot slot) { groups.push_back(slot); });
  for (const Slot slot : groups) {
    CutOff cut_off = cut_off_all(slot);
    deactivate(slot);
    recycle(cut_off, cut_off.messages, removed);
  }
  for (const auto& [seq, letter] : dead_) removed.push_back(letter.event);
  dead_.clear();
}

}  // namespace fairlane::scheduler
