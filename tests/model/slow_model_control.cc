// The control plane of the contract, sections 5 and 6.
#include <stdexcept>

#include "slow_model.h"

namespace fairlane::model {

Outcome SlowModel::apply_control(const Operation& operation) {
  switch (operation.verb) {
    case Verb::suspend:
      suspended_.insert(operation.group);
      return {};
    case Verb::resume:
      suspended_.erase(operation.group);
      return {};
    case Verb::terminate: {
      const auto at = groups_.find(operation.group);
      if (at == groups_.end()) return {};
      const auto dropped = at->second.messages.size();
      totals_.dropped += dropped;
      groups_.erase(at);
      return {.dropped = dropped};
    }
    case Verb::cancel:
      return cancel(operation);
    case Verb::inspect:
      return inspect(operation);
    case Verb::groups:
      return list(operation);
    case Verb::peek:
      return peek(operation);
    case Verb::stats:
      return stats();
    case Verb::dead_letters:
      return list_dead(operation);
    case Verb::redrive:
      return redrive(operation);
    case Verb::drop_dead:
      return drop_dead(operation);
    case Verb::close:
      closed_ = true;
      return {};
    case Verb::reopen:
      closed_ = false;
      totals_ = {};
      return {};
    default:
      throw std::logic_error("not an operation of the control plane");
  }
}

Outcome SlowModel::cancel(const Operation& operation) {
  const auto at = groups_.find(operation.group);
  const std::size_t held = at == groups_.end() ? 0 : at->second.messages.size();
  const std::size_t kept = held != 0 && leased(at->second) ? 1 : 0;
  const std::size_t in_all = queued() - held + kept + 1;
  const bool over = (rules_.max_messages != 0 && in_all > rules_.max_messages) ||
                    (rules_.max_group_messages != 0 && kept + 1 > rules_.max_group_messages);
  if (over) return {.error = "full"};
  totals_.dropped += held - kept;
  if (held == 0) return {.seqs = {store({operation.group, operation.event, 0})}};
  Group& group = at->second;
  group.messages.resize(kept);
  if (kept == 0) {
    group.claim.reset();
    group.parked_until.reset();
  }
  group.messages.push_back({++last_seq_, operation.event, 0, now_});
  ++totals_.published;
  return {.seqs = {last_seq_}, .dropped = held - kept};
}

Outcome SlowModel::inspect(const Operation& operation) const {
  GroupView view;
  view.suspended = suspended_.contains(operation.group);
  const auto at = groups_.find(operation.group);
  if (at == groups_.end()) return {.group = view};
  const Group& group = at->second;
  view.messages = group.messages.size();
  view.priority = group.priority;
  view.last_claimed_at = group.last_claimed_at;
  view.state = view.suspended ? GroupState::suspended : GroupState::ready;
  if (leased(group)) {
    view.state = GroupState::leased;
    view.until = group.claim->expires_at;
    view.worker = group.claim->worker;
    view.attempt = group.messages.front().attempts;
  } else if (parked(group)) {
    view.state = GroupState::parked;
    view.until = group.parked_until;
  }
  return {.group = view};
}

Outcome SlowModel::list(const Operation& operation) const {
  std::set<std::string> ids = suspended_;
  if (!operation.flag) {
    ids.clear();
    for (const auto& [id, group] : groups_) ids.insert(id);
  }
  Outcome outcome;
  for (const auto& id : ids) {
    if (!operation.text.empty() && id <= operation.text) continue;
    if (outcome.groups.size() < operation.count) outcome.groups.push_back(id);
  }
  return outcome;
}

Outcome SlowModel::peek(const Operation& operation) const {
  Outcome outcome;
  const auto at = groups_.find(operation.group);
  if (at == groups_.end()) return outcome;
  for (const auto& message : at->second.messages) {
    if (outcome.messages.size() == operation.count) break;
    outcome.messages.push_back({message.seq, message.event, message.attempts});
  }
  return outcome;
}

Outcome SlowModel::stats() const {
  Stats stats = totals_;
  stats.groups = groups_.size();
  stats.dead = dead_.size();
  Instant oldest = now_;
  for (const auto& [id, group] : groups_) {
    const bool suspended = suspended_.contains(id);
    oldest = std::min(oldest, group.messages.front().published_at);
    const bool in_flight = leased(group) || parked(group);
    if (leased(group)) ++stats.leased;
    if (parked(group)) ++stats.parked;
    if (suspended) {
      stats.suspended += group.messages.size() - (in_flight ? 1 : 0);
    } else {
      stats.ready += in_flight ? 0 : 1;
      stats.waiting += group.messages.size() - 1;
    }
  }
  stats.oldest_age = now_ - oldest;
  return {.stats = stats};
}

Outcome SlowModel::list_dead(const Operation& operation) const {
  Outcome outcome;
  for (const auto& [seq, letter] : dead_) {
    if (seq <= operation.seq || outcome.dead.size() == operation.count) continue;
    outcome.dead.push_back(letter);
  }
  return outcome;
}

Outcome SlowModel::redrive(const Operation& operation) {
  const auto at = dead_.find(operation.seq);
  if (at == dead_.end()) return {.error = "not_found"};
  const DeadView letter = at->second;
  const auto group = groups_.find(letter.group);
  const std::size_t in_group = group == groups_.end() ? 0 : group->second.messages.size();
  const bool over = (rules_.max_messages != 0 && queued() + 1 > rules_.max_messages) ||
                    (rules_.max_group_messages != 0 && in_group + 1 > rules_.max_group_messages);
  if (over) return {.error = "full"};
  dead_.erase(at);
  ++totals_.redriven;
  return {.seqs = {store({letter.group, letter.event, letter.priority})}};
}

Outcome SlowModel::drop_dead(const Operation& operation) {
  if (dead_.erase(operation.seq) == 0) return {.error = "not_found"};
  ++totals_.dropped;
  return {};
}

}  // namespace fairlane::model
