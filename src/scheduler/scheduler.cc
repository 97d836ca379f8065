// The verbs of section 3 at one instant.
#include "scheduler/scheduler.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <random>

namespace fairlane::scheduler {

using detail::Grant;
using detail::LeaseHandle;
using detail::MessageNode;
using detail::NodePublication;

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
  table_.for_each([](Group* group) {
    if (group->release(1 + group->prepaid)) detail::GroupId::destroy(group);
  });
}

std::uint32_t Scheduler::hash(std::string_view group_id) const noexcept {
  return static_cast<std::uint32_t>(
      XXH3_64bits_withSeed(group_id.data(), group_id.size(), hash_seed_));
}

Group* Scheduler::find(std::uint32_t hash, std::string_view group_id) const noexcept {
  return table_.find(hash, [&](const Group& group) {
    __builtin_prefetch(group.tail);  // Where a publish goes next.
    return group.view() == group_id;
  });
}

Group* Scheduler::current(const LeaseHandle& lease) noexcept {
  auto* const group = static_cast<Group*>(lease.group);
  return lease.fence != 0 && group->fence == lease.fence ? group : nullptr;
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
  now_ns_ = std::max(stamp_ns_, now.time_since_epoch().count());  // Never behind a publish.
  stamp_ns_ = now_ns_;
  while (!in_flight_.empty() && in_flight_.front().key.major < now_ns_) {
    lapse(*in_flight_.front().group);
  }
}

std::optional<std::uint64_t> Scheduler::publish(const NodePublication& message) {
  if (rules_.max_messages != 0 || rules_.max_group_messages != 0) {
    const Group* const group = find(message.group_id);
    const std::uint64_t held = group == nullptr ? 0 : group->messages;
    if (!has_room(1, held, 1)) return std::nullopt;
  }
  return enter(message);
}

std::optional<std::vector<std::uint64_t>> Scheduler::publish_batch(
    std::span<const NodePublication> messages) {
  std::map<std::string_view, std::uint64_t> by_group;
  if (rules_.max_group_messages != 0) {
    for (const auto& message : messages) ++by_group[message.group_id];
  }
  bool room = has_room(messages.size(), 0, 0);
  for (const auto& [group_id, more] : by_group) {
    const Group* const group = find(group_id);
    room = room && has_room(0, group == nullptr ? 0 : group->messages, more);
  }
  if (!room) return std::nullopt;
  return enter_all(messages);
}

std::vector<std::uint64_t> Scheduler::enter_all(std::span<const NodePublication> messages) {
  std::vector<std::uint64_t> seqs;
  std::vector<std::pair<Group*, MessageNode*>>
      former_tails;  // Of the group before its message came.
  seqs.reserve(messages.size());
  former_tails.reserve(messages.size());
  try {
    for (const auto& message : messages) {
      Group* const group = find(message.group_id);
      MessageNode* const tail = group == nullptr ? nullptr : group->tail;
      seqs.push_back(enter(message));
      former_tails.emplace_back(group == nullptr ? find(message.group_id) : group, tail);
    }
  } catch (...) {
    for (; !former_tails.empty(); former_tails.pop_back()) {
      undo_append(*former_tails.back().first, former_tails.back().second);
    }
    throw;
  }
  return seqs;
}

void Scheduler::undo_append(Group& group, MessageNode* former_tail) noexcept {
  --totals_.published;
  if (former_tail == nullptr) {
    withdraw(group);
    remove_head(group);
    return;
  }
  former_tail->next = nullptr;
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
  if (const Group* const group = claimable.peek(2)) {
    __builtin_prefetch(group);
    __builtin_prefetch(&group->head);
  }
  if (const Group* const group = claimable.peek(1)) __builtin_prefetch(group->head);
}

std::optional<Grant> Scheduler::claim(std::string_view worker_id, Duration visibility,
                                      std::int32_t min_priority) {
  PriorityClass* const next = next_class(min_priority);
  if (next == nullptr) return std::nullopt;
  Group& group = *next->claimable.front().group;
  prefetch_following(next->claimable);
  in_flight_.prepare();
  const auto worker = workers_.acquire(worker_id);
  next->claimable.pop_front();
  --ready_;
  workers_.release(group.worker);
  group.worker = worker;
  group.last_claimed_at_ns = now_ns_;
  group.line = ++last_line_;
  group.fence = ++last_fence_;
  set_in_flight(group, HeadState::leased, expiry_after(now_ns_, visibility));

  MessageNode& head = *group.head;
  ++head.attempts;
  ++totals_.claims;
  if (head.attempts > 1) ++totals_.redelivered;
  if (head.lent != 0) head.retain();
  head.lent = 1;
  group.lend();
  return Grant{{store_, group.fence, group.head_seq, head.attempts},
               Instant(std::chrono::nanoseconds(group.expiry_ns)),
               &group,
               &head};
}

Settled Scheduler::ack(const LeaseHandle& lease, MessageNode*& removed) {
  Group* const group = current(lease);
  if (group == nullptr) return stale();
  prepare(*group);
  withdraw(*group);
  removed = remove_head(*group);
  ++totals_.acked;
  return Settled::done;
}

Settled Scheduler::nack(const LeaseHandle& lease, Duration delay) {
  Group* const group = current(lease);
  if (group == nullptr) return stale();
  prepare(*group);
  if (is_exhausted(*group)) {
    fail_exhausted(*group);
  } else {
    withdraw(*group);
    group->fence = 0;
    if (delay > Duration()) {
      set_in_flight(*group, HeadState::parked, expiry_after(now_ns_, delay));
    } else {
      set_free(*group);
    }
  }
  ++totals_.nacks;
  return Settled::done;
}

Settled Scheduler::extend(const LeaseHandle& lease, Duration visibility) {
  Group* const group = current(lease);
  if (group == nullptr) return stale();
  prepare(*group);
  withdraw(*group);
  set_in_flight(*group, HeadState::leased, expiry_after(now_ns_, visibility));
  return Settled::done;
}

Settled Scheduler::release(const LeaseHandle& lease) {
  Group* const group = current(lease);
  if (group == nullptr) return stale();
  prepare(*group);
  withdraw(*group);
  group->fence = 0;
  --group->head->attempts;
  set_free(*group);
  ++totals_.released;
  return Settled::done;
}

Settled Scheduler::reject(const LeaseHandle& lease, std::string_view reason) {
  Group* const group = current(lease);
  if (group == nullptr) return stale();
  prepare(*group);
  bury_head(*group, reason);
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
    const Group& group = *entry.group;
    const bool serves = !group.suspended && group.priority_class->priority >= min_priority;
    if (!serves && !deaths && ++seen < furthest) return true;
    next = Instant(std::chrono::nanoseconds(entry.key.major));
    return false;
  });
  return next;
}

CutOff Scheduler::take_all() noexcept {
  CutOff all;
  const auto take = [&all](MessageNode* message) {
    message->next = std::exchange(all.head, message);
    ++all.messages;
  };
  while (Group* const group = table_.any()) {
    const CutOff cut_off = cut_off_all(*group);
    deactivate(*group);
    for (MessageNode* at = cut_off.head; at != nullptr;) take(std::exchange(at, at->next));
  }
  for (const auto& [seq, letter] : dead_) take(letter.event);
  dead_.clear();
  return all;
}

}  // namespace fairlane::scheduler
