// The control plane and the dead letters: sections 5 and 6.
#include <algorithm>
#include <utility>

#include "redis/redis_backend.h"
#include "redis/words.h"

namespace fairlane::redis {

using remote::Answer;

namespace {

/// Redis counts in 63 bits.
std::int64_t limit_of(std::size_t limit) noexcept {
  return static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX));
}

/// Where a listing begins, as ZRANGEBYLEX takes it.
std::string begin_behind(std::optional<std::string_view> group_id) {
  return group_id ? "(" + std::string(*group_id) : "-";
}

EventRef<Bytes> event_of(std::string_view bytes) { return EventRef<Bytes>::make(Bytes(bytes)); }

}  // namespace

Answer<bool> RedisBackend::set_suspended(std::string_view group_id, bool suspended) {
  Command command = begin(Script::suspend);
  const Outcome outcome = run(Script::suspend, command.add(group_id).add(suspended ? "1" : "0"));
  return {true, outcome.effect};
}

Answer<std::uint64_t> RedisBackend::terminate(std::string_view group_id) {
  Command command = begin(Script::terminate);
  Outcome outcome = run(Script::terminate, command.add(group_id));
  const auto dropped = outcome[3].count();
  outcome.effect.room = outcome.effect.room || dropped > 0;
  return {dropped, outcome.effect};
}

Answer<std::optional<Cancelled>> RedisBackend::cancel(std::string_view group_id,
                                                      std::string_view event) {
  Command command = begin(Script::cancel);
  Outcome outcome = run(Script::cancel, command.add(group_id).add(event));
  if (outcome.full) return {std::nullopt, outcome.effect};
  const Cancelled cancelled{outcome[3].count(), outcome[4].count()};
  outcome.effect.room = outcome.effect.room || cancelled.dropped > 0;
  return {cancelled, outcome.effect};
}

Answer<GroupInfo> RedisBackend::inspect(std::string_view group_id) {
  enum State { leased = 1, parked = 2 };
  Command command = begin(Script::inspect);
  const Outcome outcome = run(Script::inspect, command.add(group_id), Kind::reads);
  GroupInfo info;
  info.suspended = outcome[3].integer() != 0;
  info.messages = outcome[4].count();
  if (info.messages == 0) return {info, outcome.effect};
  info.priority = static_cast<std::int32_t>(outcome[5].integer());
  info.last_claimed_at = instant(outcome[6].integer());
  const auto state = outcome[7].integer();
  info.state = info.suspended ? GroupState::suspended : GroupState::ready;
  if (state == leased || state == parked) {
    info.state = state == leased ? GroupState::leased : GroupState::parked;
    info.until = instant(outcome[8].integer());
  }
  if (state == leased) {
    info.attempt = static_cast<std::uint32_t>(outcome[9].integer());
    info.worker_id = outcome[10].text();
  }
  return {info, outcome.effect};
}

Answer<std::vector<std::string>> RedisBackend::groups(const GroupQuery& query) {
  Command command = begin(Script::groups);
  command.add(query.suspended ? "1" : "0").add(begin_behind(query.after));
  const Outcome outcome = run(Script::groups, command.add(limit_of(query.limit)), Kind::reads);
  const Value page = outcome[3];
  std::vector<std::string> groups;
  groups.reserve(page.size());
  for (std::size_t i = 0; i < page.size(); ++i) groups.push_back(page[i].text());
  return {std::move(groups), outcome.effect};
}

Answer<std::vector<QueuedMessage<Bytes>>> RedisBackend::peek(std::string_view group_id,
                                                             std::size_t limit) {
  if (limit == 0) return {};
  Command command = begin(Script::peek);
  const Outcome outcome =
      run(Script::peek, command.add(group_id).add(limit_of(limit)), Kind::reads);
  const Value page = outcome[4];
  std::vector<QueuedMessage<Bytes>> messages;
  messages.reserve(page.size());
  for (std::size_t i = 0; i < page.size(); ++i) {
    const auto message = page[i].bytes();
    const auto attempts = i == 0 ? static_cast<std::uint32_t>(outcome[3].integer()) : 0U;
    messages.push_back({from_bytes(message), event_of(message.substr(message_head)), attempts});
  }
  return {std::move(messages), outcome.effect};
}

/// When the oldest message was published. Page by page, so that a large queue keeps the server from
/// its work for a millisecond at a time; what is published or leaves meanwhile may be missed.
std::optional<std::int64_t> RedisBackend::oldest() {
  std::int64_t oldest = never;
  for (std::string from = "-";;) {
    Command command = begin(Script::oldest);
    const Outcome outcome = run(Script::oldest, command.add(from), Kind::reads);
    oldest = std::min(oldest, outcome[3].integer());
    if (outcome[4].is_nothing()) break;
    from = begin_behind(outcome[4].bytes());
  }
  if (oldest == never) return std::nullopt;
  return oldest;
}

Answer<Stats> RedisBackend::count() {
  const Outcome outcome = run(Script::count, begin(Script::count), Kind::reads);
  Stats stats;
  stats.groups = outcome[3].count();
  const auto messages = outcome[4].count();
  stats.ready = outcome[5].count();
  stats.leased = outcome[6].count();
  stats.parked = outcome[7].count();
  stats.suspended = outcome[8].count();
  stats.waiting = messages - stats.ready - stats.leased - stats.parked - stats.suspended;
  stats.dead = outcome[9].count();
  if (const auto published = oldest()) {
    const auto age = outcome[10].integer() - *published;
    stats.oldest_age = std::chrono::microseconds(std::max<std::int64_t>(age, 0));
  }
  return {stats, outcome.effect};
}

Answer<std::vector<DeadLetter<Bytes>>> RedisBackend::dead_letters(std::size_t limit,
                                                                  std::uint64_t after_seq) {
  Command command = begin(Script::dead_letters);
  command.add(after_seq).add(limit_of(limit));
  const Outcome outcome = run(Script::dead_letters, command, Kind::reads);
  const Value page = outcome[3];
  std::vector<DeadLetter<Bytes>> letters;
  letters.reserve(page.size());
  for (std::size_t i = 0; i < page.size(); ++i) {
    const Value letter = page[i];
    letters.push_back({letter[0].count(), letter[1].text(), event_of(letter[2].bytes()),
                       static_cast<std::uint32_t>(letter[3].integer()),
                       static_cast<std::int32_t>(letter[4].integer()), letter[5].text(),
                       letter[6].text()});
  }
  return {std::move(letters), outcome.effect};
}

Answer<remote::Redriven> RedisBackend::redrive(std::uint64_t seq) {
  using Result = remote::Redriven::Outcome;
  Command command = begin(Script::redrive);
  const Outcome outcome = run(Script::redrive, command.add(seq));
  if (outcome.full) return {{Result::full}, outcome.effect};
  const auto new_seq = outcome[3].count();
  return {{new_seq == 0 ? Result::not_found : Result::done, new_seq}, outcome.effect};
}

Answer<bool> RedisBackend::drop_dead(std::uint64_t seq) {
  Command command = begin(Script::drop_dead);
  const Outcome outcome = run(Script::drop_dead, command.add(seq));
  return {outcome[3].integer() == 1, outcome.effect};
}

}  // namespace fairlane::redis
