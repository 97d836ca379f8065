// How groups and messages come, change their state, and go.
#include <cstring>
#include <new>
#include <utility>

#include "scheduler/scheduler.h"

namespace fairlane::scheduler {

using detail::GroupId;
using detail::MessageNode;
using detail::NodePublication;

OrderKey Scheduler::rotation_key(const Group& group) const noexcept {
  if (rules_.rotation == Rotation::ready_order) {
    return {static_cast<std::int64_t>(group.line), 0};
  }
  return {group.last_claimed_at_ns, group.head_seq};
}

OrderKey Scheduler::expiry_key(const Group& group) noexcept {
  return {group.expiry_ns, group.head_seq};
}

bool Scheduler::is_exhausted(const Group& group) const noexcept {
  return rules_.max_attempts != 0 && group.head->attempts >= rules_.max_attempts;
}

void Scheduler::prepare(Group& group) {
  in_flight_.prepare();
  group.priority_class->claimable.prepare();
}

void Scheduler::withdraw(Group& group) noexcept {
  if (group.state != HeadState::free) {
    --(group.state == HeadState::leased ? leased_ : parked_);
    in_flight_.erase(expiry_key(group));
    group.state = HeadState::free;
  } else if (!group.suspended) {
    --ready_;
    group.priority_class->claimable.erase(rotation_key(group));
  }
}

void Scheduler::set_free(Group& group) noexcept {
  group.state = HeadState::free;
  if (group.suspended) return;
  ++ready_;
  group.priority_class->claimable.insert(rotation_key(group), &group);
}

void Scheduler::set_in_flight(Group& group, HeadState state, std::int64_t expiry_ns) noexcept {
  group.state = state;
  group.expiry_ns = expiry_ns;
  ++(state == HeadState::leased ? leased_ : parked_);
  in_flight_.insert(expiry_key(group), &group);
}

void Scheduler::lapse(Group& group) {
  prepare(group);
  if (group.state == HeadState::leased && is_exhausted(group)) return fail_exhausted(group);
  withdraw(group);
  set_free(group);
}

void Scheduler::fail_exhausted(Group& group) {
  if (rules_.when_exhausted == WhenExhausted::dead_letter) return bury_head(group, {});
  suspended_.emplace(group.view());
  withdraw(group);
  group.fence = 0;
  group.suspended = true;
  set_free(group);
}

void Scheduler::bury_head(Group& group, std::string_view reason) {
  MessageNode& head = *group.head;
  dead_.emplace(head.seq,
                detail::DeadNode{head.seq, std::string(group.view()), &head, head.attempts,
                                 group.priority_class->priority,
                                 std::string(workers_.name(group.worker)), std::string(reason)});
  ++totals_.dead_lettered;
  withdraw(group);
  remove_head(group);
}

MessageNode* Scheduler::remove_head(Group& group) noexcept {
  MessageNode* const head = group.head;
  group.head = head->next;
  group.head_seq = head->next_seq;
  group.fence = 0;
  --queued_;
  if (--group.messages == 0) {
    deactivate(group);
  } else {
    set_free(group);
  }
  return head;
}

Group* Group::create(std::string_view id) {
  static_assert(sizeof(Group) == sizeof(GroupRecord) + sizeof(GroupId), "the id's bytes end it");
  void* const memory = ::operator new(sizeof(Group) + id.size());
  auto* const group = ::new (memory) Group();
  auto* const group_id = static_cast<GroupId*>(group);
  group_id->size = static_cast<std::uint16_t>(id.size());
  group_id->prefix = sizeof(GroupRecord);
  group_id->owners.store(1 + bulk, std::memory_order_relaxed);
  group->prepaid = bulk;
  if (!id.empty()) std::memcpy(static_cast<void*>(group_id + 1), id.data(), id.size());
  return group;
}

Group& Scheduler::activate(std::string_view group_id, std::uint32_t hash, std::int32_t priority) {
  table_.reserve(1);
  PriorityClass& priority_class = classes_.try_emplace(priority).first->second;
  priority_class.priority = priority;
  Group* group = nullptr;
  try {
    priority_class.claimable.prepare();
    group = Group::create(group_id);
    listing_.add(group);
  } catch (...) {
    if (group != nullptr) GroupId::destroy(group);
    drop_class_if_empty(priority_class);
    throw;
  }
  ++priority_class.groups;
  table_.insert(hash, group);
  group->priority_class = &priority_class;
  group->head = group->tail = nullptr;
  group->line = ++last_line_;
  group->suspended = !suspended_.empty() && suspended_.contains(group_id);
  return *group;
}

void Scheduler::deactivate(Group& group) noexcept {
  table_.erase(hash(group.view()), &group);
  listing_.remove(&group);
  workers_.release(group.worker);
  PriorityClass& priority_class = *group.priority_class;
  --priority_class.groups;
  group.fence = 0;  // A lease that still names this group finds that it is stale.
  if (group.release(1 + group.prepaid)) GroupId::destroy(&group);
  drop_class_if_empty(priority_class);
}

void Scheduler::drop_class_if_empty(PriorityClass& priority_class) noexcept {
  // The default priority's class stays: most stores know no other.
  if (priority_class.groups == 0 && priority_class.priority != 0) {
    classes_.erase(priority_class.priority);
  }
}

void Scheduler::stamp(const NodePublication& publication) const noexcept {
  MessageNode& message = *publication.event;
  message.attempts = 0;
  message.lent = publication.lent ? 1 : 0;
  message.next = nullptr;
  message.published_at_ns = stamp_ns_;
}

std::uint64_t Scheduler::append(Group& group, MessageNode& message) noexcept {
  const std::uint64_t seq = ++last_seq_;
  message.seq = seq;
  ++queued_;
  ++totals_.published;
  if (group.messages++ != 0) {
    group.tail->next = &message;
    group.tail->next_seq = seq;
    group.tail = &message;
    return seq;
  }
  group.head = group.tail = &message;
  group.head_seq = seq;
  set_free(group);
  return seq;
}

std::uint64_t Scheduler::enter(const NodePublication& publication) {
  const std::uint32_t id_hash = hash(publication.group_id);
  Group* group = find(id_hash, publication.group_id);
  if (group == nullptr) group = &activate(publication.group_id, id_hash, publication.priority);
  stamp(publication);
  return append(*group, *publication.event);
}

CutOff Scheduler::cut_off_all(Group& group) noexcept {
  const CutOff cut_off{group.head, group.messages};
  withdraw(group);
  queued_ -= group.messages;
  totals_.dropped += group.messages;
  group.head = group.tail = nullptr;
  group.messages = 0;
  group.fence = 0;
  return cut_off;
}

CutOff Scheduler::cut_off_followers(Group& group) noexcept {
  const CutOff cut_off{std::exchange(group.head->next, nullptr), group.messages - 1};
  queued_ -= cut_off.messages;
  totals_.dropped += cut_off.messages;
  group.tail = group.head;
  group.messages = 1;
  return cut_off;
}

}  // namespace fairlane::scheduler
