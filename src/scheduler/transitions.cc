// How groups and messages come, change their state, and go.
#include <algorithm>

#include "scheduler/scheduler.h"

namespace fairlane::scheduler {

using detail::GroupId;
using detail::Shared;
using detail::SharedNode;

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
  return rules_.max_attempts != 0 && messages_[group.head].attempts >= rules_.max_attempts;
}

void Scheduler::prepare(Group& group) {
  in_flight_.prepare();
  group.priority_class->claimable.prepare();
}

void Scheduler::withdraw(Slot slot) noexcept {
  Group& group = groups_[slot];
  if (group.state != HeadState::free) {
    --(group.state == HeadState::leased ? leased_ : parked_);
    in_flight_.erase(expiry_key(group));
    group.state = HeadState::free;
  } else if (!group.suspended) {
    --ready_;
    group.priority_class->claimable.erase(rotation_key(group));
  }
}

void Scheduler::set_free(Slot slot) noexcept {
  Group& group = groups_[slot];
  group.state = HeadState::free;
  if (group.suspended) return;
  ++ready_;
  group.priority_class->claimable.insert(rotation_key(group), slot);
}

void Scheduler::set_in_flight(Slot slot, HeadState state, std::int64_t expiry_ns) noexcept {
  Group& group = groups_[slot];
  group.state = state;
  group.expiry_ns = expiry_ns;
  ++(state == HeadState::leased ? leased_ : parked_);
  in_flight_.insert(expiry_key(group), slot);
}

void Scheduler::lapse(Slot slot) {
  Group& group = groups_[slot];
  prepare(group);
  if (group.state == HeadState::leased && is_exhausted(group)) return fail_exhausted(slot);
  withdraw(slot);
  set_free(slot);
}

void Scheduler::fail_exhausted(Slot slot) {
  Group& group = groups_[slot];
  if (rules_.when_exhausted == WhenExhausted::dead_letter) return bury_head(slot, {});
  suspended_.emplace(group.id->view());
  withdraw(slot);
  group.fence = 0;
  group.suspended = true;
  set_free(slot);
}

void Scheduler::bury_head(Slot slot, std::string_view reason) {
  Group& group = groups_[slot];
  const Message& head = messages_[group.head];
  dead_.emplace(head.seq,
                detail::DeadNode{head.seq, std::string(group.id->view()), head.event, head.attempts,
                                 group.priority_class->priority,
                                 std::string(workers_.name(group.worker)), std::string(reason)});
  ++totals_.dead_lettered;
  withdraw(slot);
  remove_head(slot);
}

SharedNode* Scheduler::remove_head(Slot slot) noexcept {
  Group& group = groups_[slot];
  const Slot head = group.head;
  SharedNode* const event = messages_[head].event;
  group.head = messages_[head].next;
  group.head_seq = messages_[head].next_seq;
  group.fence = 0;
  messages_.release(head);
  --queued_;
  if (--group.messages == 0) {
    deactivate(slot);
  } else {
    set_free(slot);
  }
  return event;
}

Slot Scheduler::activate(std::string_view group_id, std::uint32_t hash, std::int32_t priority) {
  table_.reserve(1);
  PriorityClass& priority_class = classes_.try_emplace(priority).first->second;
  priority_class.priority = priority;
  Slot slot = no_slot;
  try {
    priority_class.claimable.prepare();
    auto id = Shared<GroupId>::adopt(GroupId::create(group_id));
    slot = groups_.allocate();
    listing_.add(id.get());
    groups_[slot].id = id.detach();
  } catch (...) {
    if (slot != no_slot) groups_.release(slot);
    drop_class_if_empty(priority_class);
    throw;
  }
  ++priority_class.groups;
  table_.insert(hash, slot);
  Group& group = groups_[slot];
  group.priority_class = &priority_class;
  group.head = group.tail = no_slot;
  group.hash = hash;
  group.line = ++last_line_;
  group.suspended = !suspended_.empty() && suspended_.contains(group_id);
  return slot;
}

void Scheduler::deactivate(Slot slot) noexcept {
  Group& group = groups_[slot];
  table_.erase(group.hash, slot);
  listing_.remove(group.id);
  workers_.release(group.worker);
  PriorityClass& priority_class = *group.priority_class;
  --priority_class.groups;
  group.fence = 0;  // A lease that still names this slot finds that it is stale.
  if (group.id->release()) GroupId::destroy(group.id);
  groups_.release(slot);
  drop_class_if_empty(priority_class);
}

void Scheduler::drop_class_if_empty(PriorityClass& priority_class) noexcept {
  // The default priority's class stays: most stores know no other.
  if (priority_class.groups == 0 && priority_class.priority != 0) {
    classes_.erase(priority_class.priority);
  }
}

Slot Scheduler::new_message(SharedNode* event) {
  const Slot slot = messages_.allocate();
  messages_[slot].event = event;
  messages_[slot].next = no_slot;
  messages_[slot].published_at_ns = now_ns_;
  return slot;
}

std::uint64_t Scheduler::append(Slot group_slot, Slot message_slot) noexcept {
  Group& group = groups_[group_slot];
  const std::uint64_t seq = ++last_seq_;
  messages_[message_slot].seq = seq;
  ++queued_;
  ++totals_.published;
  if (group.messages++ != 0) {
    Message& tail = messages_[group.tail];
    tail.next = message_slot;
    tail.next_seq = seq;
    group.tail = message_slot;
    return seq;
  }
  group.head = group.tail = message_slot;
  group.head_seq = seq;
  set_free(group_slot);
  return seq;
}

std::uint64_t Scheduler::enter(std::string_view group_id, std::int32_t priority,
                               SharedNode* event) {
  const std::uint32_t id_hash = hash(group_id);
  Slot group = find(id_hash, group_id);
  const Slot message = new_message(event);
  if (group == no_slot) {
    try {
      group = activate(group_id, id_hash, priority);
    } catch (...) {
      messages_.release(message);
      throw;
    }
  }
  return append(group, message);
}

CutOff Scheduler::cut_off_all(Slot slot) noexcept {
  Group& group = groups_[slot];
  const CutOff cut_off{group.head, group.messages};
  withdraw(slot);
  queued_ -= group.messages;
  totals_.dropped += group.messages;
  group.head = group.tail = no_slot;
  group.messages = 0;
  group.fence = 0;
  return cut_off;
}

bool Scheduler::recycle(CutOff& cut_off, std::size_t most, std::vector<SharedNode*>& removed) {
  removed.reserve(removed.size() + std::min<std::size_t>(most, cut_off.messages));
  for (; most > 0 && cut_off.messages > 0; --most, --cut_off.messages) {
    const Slot slot = cut_off.head;
    removed.push_back(messages_[slot].event);
    cut_off.head = messages_[slot].next;
    messages_.release(slot);
  }
  return cut_off.messages > 0;
}

}  // namespace fairlane::scheduler
