// The control plane and the dead letters at one instant: sections 5 and 6.
#include <algorithm>

#include "scheduler/scheduler.h"

namespace fairlane::scheduler {

using detail::DeadNode;
using detail::MessageNode;
using detail::QueuedNode;

void Scheduler::suspend(std::string_view group_id) {
  suspended_.emplace(group_id);
  Group* const group = find(group_id);
  if (group == nullptr || group->suspended) return;
  if (group->state == HeadState::free) withdraw(*group);
  group->suspended = true;
}

void Scheduler::resume(std::string_view group_id) {
  const auto found = suspended_.find(group_id);
  if (found == suspended_.end()) return;
  if (Group* const group = find(group_id)) {
    prepare(*group);
    group->suspended = false;
    if (group->state == HeadState::free) set_free(*group);
  }
  suspended_.erase(found);
}

CutOff Scheduler::terminate(std::string_view group_id) {
  Group* const group = find(group_id);
  if (group == nullptr) return {};
  const CutOff dropped = cut_off_all(*group);
  deactivate(*group);
  return dropped;
}

std::optional<std::uint64_t> Scheduler::cancel(std::string_view group_id, MessageNode* event,
                                               CutOff& dropped) {
  Group* const group = find(group_id);
  if (group == nullptr) return publish({group_id, event, 0});
  const std::uint64_t kept = group->state == HeadState::leased ? 1 : 0;
  const std::uint64_t gone = group->messages - kept;
  const auto fits = [](std::uint64_t limit, std::uint64_t held) {
    return limit == 0 || held < limit;
  };
  if (!fits(rules_.max_messages, queued_ - gone)) return std::nullopt;
  if (!fits(rules_.max_group_messages, kept)) return std::nullopt;

  prepare(*group);
  stamp({group_id, event, 0});
  dropped = kept == 0 ? cut_off_all(*group) : cut_off_followers(*group);
  return append(*group, *event);
}

GroupInfo Scheduler::inspect(std::string_view group_id) const {
  GroupInfo info;
  info.suspended = suspended_.contains(group_id);
  const Group* const found = find(group_id);
  if (found == nullptr) return info;
  const Group& group = *found;
  info.messages = group.messages;
  info.priority = group.priority_class->priority;
  info.last_claimed_at = Instant(std::chrono::nanoseconds(group.last_claimed_at_ns));
  info.state = group.suspended ? GroupState::suspended : GroupState::ready;
  if (group.state == HeadState::free) return info;
  info.state = group.state == HeadState::leased ? GroupState::leased : GroupState::parked;
  info.until = Instant(std::chrono::nanoseconds(group.expiry_ns));
  if (group.state == HeadState::leased) {
    info.worker_id = std::string(workers_.name(group.worker));
    info.attempt = std::uint32_t{group.head->attempts};
  }
  return info;
}

std::vector<std::string> Scheduler::groups(const GroupQuery& query) {
  if (query.suspended) {
    std::vector<std::string> page;
    auto at = query.after ? suspended_.upper_bound(*query.after) : suspended_.begin();
    for (; at != suspended_.end() && page.size() < query.limit; ++at) page.push_back(*at);
    return page;
  }
  if (!listing_.is_built()) {
    std::vector<const detail::GroupId*> ids;
    ids.reserve(table_.size());
    table_.for_each([&](const Group* group) { ids.push_back(group); });
    listing_.build(ids);
  }
  return listing_.page(query);
}

std::vector<QueuedNode> Scheduler::peek(std::string_view group_id, std::size_t limit) const {
  std::vector<QueuedNode> page;
  const Group* const group = find(group_id);
  if (group == nullptr) return page;
  page.reserve(std::min<std::size_t>(limit, group->messages));
  for (MessageNode* at = group->head; at != nullptr && page.size() < limit; at = at->next) {
    page.push_back({at->seq, at, at->attempts});
    at->retain();
  }
  return page;
}

Stats Scheduler::stats() const {
  Stats stats = totals_;
  stats.groups = table_.size();
  stats.ready = ready_;
  stats.leased = leased_;
  stats.parked = parked_;
  stats.dead = dead_.size();
  for (const auto& group_id : suspended_) {
    const Group* const group = find(group_id);
    if (group == nullptr) continue;
    stats.suspended += group->messages - (group->state == HeadState::free ? 0U : 1U);
  }
  stats.waiting = queued_ - ready_ - leased_ - parked_ - stats.suspended;

  const Group* oldest = nullptr;
  table_.for_each([&](const Group* group) {
    if (oldest == nullptr || group->head_seq < oldest->head_seq) oldest = group;
  });
  if (oldest != nullptr) {
    stats.oldest_age = std::chrono::nanoseconds(now_ns_ - oldest->head->published_at_ns);
  }
  return stats;
}

std::vector<DeadNode> Scheduler::dead_letters(std::size_t limit, std::uint64_t after_seq) const {
  std::vector<DeadNode> page;
  page.reserve(std::min(limit, dead_.size()));
  for (auto at = dead_.upper_bound(after_seq); at != dead_.end() && page.size() < limit; ++at) {
    page.push_back(at->second);
  }
  for (const auto& letter : page) letter.event->retain();
  return page;
}

Scheduler::Redriven Scheduler::redrive(std::uint64_t seq, std::uint64_t& new_seq) {
  const auto found = dead_.find(seq);
  if (found == dead_.end()) return Redriven::not_found;
  const DeadNode& letter = found->second;
  const auto published = publish({letter.group_id, letter.event, letter.priority, true});
  if (!published) return Redriven::full;
  new_seq = *published;
  dead_.erase(found);
  ++totals_.redriven;
  return Redriven::done;
}

MessageNode* Scheduler::drop_dead(std::uint64_t seq) {
  const auto found = dead_.find(seq);
  if (found == dead_.end()) return nullptr;
  MessageNode* const event = found->second.event;
  dead_.erase(found);
  ++totals_.dropped;
  return event;
}

}  // namespace fairlane::scheduler
