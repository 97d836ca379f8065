// The verbs of the contract, sections 2 to 5 and 7.
#include "slow_model.h"

#include <sstream>
#include <tuple>

namespace fairlane::model {
namespace {

struct Refused {
  const char* error;
};

Duration span_of(std::int64_t count) { return std::chrono::milliseconds(count); }

}  // namespace

Outcome SlowModel::apply(const Operation& operation) {
  if (operation.verb == Verb::advance) {
    clock_ = saturating_add(clock_, span_of(operation.ms));
    return {};
  }
  // Closing and opening look at no message: a death by the clock is recorded by the next call.
  if (operation.verb == Verb::close || operation.verb == Verb::reopen) {
    return apply_control(operation);
  }
  try {
    judge(operation);
    now_ = std::max(now_, clock_);
    let_time_act();
    switch (operation.verb) {
      case Verb::publish:
        return publish({{operation.group, operation.event, operation.priority}});
      case Verb::publish_batch:
        return publish(operation.messages);
      case Verb::publish_wait:
        return publish_wait({operation.group, operation.event, operation.priority});
      case Verb::claim:
      case Verb::claim_wait:
        return claim(operation, 1);
      case Verb::claim_batch:
        return claim(operation, operation.count);
      case Verb::ack_claim: {
        const auto settled = settle(operation, operation.leases.front());
        Outcome outcome = claim(operation, 1);
        outcome.settled = {settled};
        return outcome;
      }
      case Verb::ack:
      case Verb::ack_batch:
      case Verb::nack:
      case Verb::extend:
      case Verb::release:
      case Verb::reject: {
        Outcome outcome;
        for (const auto lease : operation.leases)
          outcome.settled.push_back(settle(operation, lease));
        return outcome;
      }
      default:
        return apply_control(operation);
    }
  } catch (const Refused& refused) {
    return {.error = refused.error};
  }
}

std::size_t SlowModel::queued() const {
  std::size_t count = 0;
  for (const auto& [id, group] : groups_) count += group.messages.size();
  return count;
}

std::vector<std::uint64_t> SlowModel::dead_seqs() const {
  std::vector<std::uint64_t> seqs;
  for (const auto& [seq, letter] : dead_) seqs.push_back(seq);
  return seqs;
}

void SlowModel::let_time_act() {
  std::vector<std::string> failed;
  for (const auto& [id, group] : groups_) {
    if (group.claim && group.claim->expires_at < now_ && exhausted(group)) failed.push_back(id);
  }
  for (const auto& id : failed) give_up_head(id, "", false);
}

bool SlowModel::leased(const Group& group) const {
  return group.claim && group.claim->expires_at >= now_;
}

bool SlowModel::parked(const Group& group) const {
  return group.parked_until && *group.parked_until >= now_;
}

bool SlowModel::exhausted(const Group& group) const {
  return rules_.max_attempts != 0 && group.messages.front().attempts >= rules_.max_attempts;
}

void SlowModel::give_up_head(const std::string& id, const std::string& reason, bool by_reject) {
  Group& group = groups_.at(id);
  if (rules_.when_exhausted == WhenExhausted::suspend_group && !by_reject) {
    group.claim.reset();
    suspended_.insert(id);
    return;
  }
  const Message& head = group.messages.front();
  dead_[head.seq] = {head.seq, id, head.event, head.attempts, group.priority, group.claim->worker,
                     reason};
  ++totals_.dead_lettered;
  remove_head(id);
}

void SlowModel::remove_head(const std::string& id) {
  Group& group = groups_.at(id);
  group.messages.erase(group.messages.begin());
  group.claim.reset();
  group.parked_until.reset();
  if (group.messages.empty()) groups_.erase(id);
}

SlowModel::Groups::iterator SlowModel::holder(std::uint64_t lease) {
  for (auto at = groups_.begin(); at != groups_.end(); ++at) {
    if (at->second.claim && at->second.claim->name == lease) return at;
  }
  return groups_.end();
}

// Arguments are judged before anything else, then size; a call refused here looks at no message.
void SlowModel::judge(const Operation& operation) const {
  auto messages = operation.messages;
  if (operation.verb != Verb::publish_batch) messages = {{operation.group, operation.event}};
  for (const auto& message : messages) {
    if (message.group.size() > max_group_id_bytes) throw Refused{"invalid_argument"};
  }
  if (operation.ms < 0) throw Refused{"invalid_argument"};
  for (const auto& message : messages) {
    if (rules_.max_event_bytes != 0 && message.event.size() > rules_.max_event_bytes) {
      throw Refused{"too_large"};
    }
  }
}

void SlowModel::judge_room(std::size_t in_all, std::size_t in_group) const {
  if (rules_.max_messages != 0 && in_all > rules_.max_messages) throw Refused{"full"};
  if (rules_.max_group_messages != 0 && in_group > rules_.max_group_messages) {
    throw Refused{"full"};
  }
}

std::uint64_t SlowModel::store(const NewMessage& message) {
  Group& group = groups_[message.group];
  if (group.messages.empty()) {
    group.priority = message.priority;
    group.place = ++last_place_;
  }
  group.messages.push_back({++last_seq_, message.event, 0, now_});
  ++totals_.published;
  return last_seq_;
}

Outcome SlowModel::publish(const std::vector<NewMessage>& messages) {
  std::map<std::string, std::size_t> in_group;
  std::size_t in_all = queued();
  for (const auto& [id, group] : groups_) in_group[id] = group.messages.size();
  for (const auto& message : messages) judge_room(++in_all, ++in_group[message.group]);
  Outcome outcome;
  for (const auto& message : messages) outcome.seqs.push_back(store(message));
  return outcome;
}

Outcome SlowModel::publish_wait(const NewMessage& message) {
  try {
    return publish({message});
  } catch (const Refused& refused) {
    if (std::string_view(refused.error) != "full") throw;
    if (closed_) throw Refused{"closed"};
    return {};
  }
}

std::optional<LeaseView> SlowModel::take(const Operation& operation, std::uint64_t name) {
  const bool in_line = rules_.rotation == Rotation::ready_order;
  auto best = groups_.end();
  const auto turn = [&](const Group& group) {
    return in_line ? std::tuple(Instant{}, group.place)
                   : std::tuple(group.last_claimed_at, group.messages.front().seq);
  };
  for (auto at = groups_.begin(); at != groups_.end(); ++at) {
    const Group& group = at->second;
    if (suspended_.contains(at->first) || leased(group) || parked(group)) continue;
    if (group.priority < operation.priority) continue;
    if (best == groups_.end() || turn(group) < turn(best->second)) best = at;
  }
  if (best == groups_.end()) return std::nullopt;
  Group& group = best->second;
  Message& head = group.messages.front();
  const auto expires_at = saturating_add(now_, span_of(operation.ms));
  group.claim = Claim{name, operation.text, expires_at};
  group.parked_until.reset();
  group.last_claimed_at = now_;
  group.place = ++last_place_;
  ++totals_.claims;
  if (++head.attempts > 1) ++totals_.redelivered;
  return LeaseView{head.seq, best->first, head.event, head.attempts, expires_at};
}

Outcome SlowModel::claim(const Operation& operation, std::size_t count) {
  Outcome outcome;
  while (outcome.leases.size() < count) {
    auto lease = take(operation, operation.as + outcome.leases.size());
    if (!lease) break;
    outcome.leases.push_back(std::move(*lease));
  }
  return outcome;
}

Settled SlowModel::settle(const Operation& operation, std::uint64_t lease) {
  const auto at = holder(lease);
  if (at == groups_.end()) {
    ++totals_.stale;
    return Settled::stale;
  }
  act_through(operation, at);
  return Settled::done;
}

void SlowModel::act_through(const Operation& operation, Groups::iterator at) {
  const std::string id = at->first;
  Group& group = at->second;
  switch (operation.verb) {
    case Verb::nack:
      ++totals_.nacks;
      if (exhausted(group)) return give_up_head(id, "", false);
      group.claim.reset();
      if (operation.ms > 0) group.parked_until = saturating_add(now_, span_of(operation.ms));
      return;
    case Verb::extend:
      group.claim->expires_at = saturating_add(now_, span_of(operation.ms));
      return;
    case Verb::release:
      ++totals_.released;
      --group.messages.front().attempts;
      group.claim.reset();
      return;
    case Verb::reject:
      return give_up_head(id, operation.text, true);
    default:
      ++totals_.acked;
      return remove_head(id);
  }
}

std::string SlowModel::fingerprint() const {
  std::ostringstream out;
  const auto instant = [](Instant at) { return at.time_since_epoch().count(); };
  out << instant(now_) << ' ' << last_seq_ << ' ' << closed_;
  for (const auto& [id, group] : groups_) {
    out << "|g " << id << ' ' << group.priority << ' ' << instant(group.last_claimed_at) << ' '
        << group.place;
    if (group.claim) out << " c " << group.claim->name << ' ' << instant(group.claim->expires_at);
    if (group.parked_until) out << " p " << instant(*group.parked_until);
    for (const auto& message : group.messages) {
      out << " m " << message.seq << ' ' << message.event << ' ' << message.attempts << ' '
          << instant(message.published_at);
    }
  }
  for (const auto& id : suspended_) out << "|s " << id;
  for (const auto& [seq, letter] : dead_) out << "|d " << seq << ' ' << letter.attempts;
  for (const auto number : numbers(totals_)) out << ' ' << number;
  return out.str();
}

}  // namespace fairlane::model
