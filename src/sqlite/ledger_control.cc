// The control plane and the dead letters: sections 5 and 6.
#include <algorithm>
#include <limits>

#include "sqlite/ledger.h"

namespace fairlane::sqlite {

namespace {

/// SQLite counts in 63 bits.
std::int64_t limit_of(std::size_t limit) noexcept {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max()));
}

EventRef<Bytes> event_of(std::string_view bytes) { return EventRef<Bytes>::make(Bytes(bytes)); }

}  // namespace

void Ledger::suspend(std::string_view group_id) {
  insert_suspended_.with(queue_, group_id).finish();
  mark_group_.with(queue_, group_id, true).finish();
}

void Ledger::resume(std::string_view group_id) {
  delete_suspended_.with(queue_, group_id).finish();
  mark_group_.with(queue_, group_id, false).finish();
  effect_.claimable = true;
}

std::uint64_t Ledger::terminate(std::string_view group_id) {
  const Group group = find(group_id);
  if (group.id == 0) return 0;
  delete_messages_.with(group.id).finish();
  delete_group_.with(group.id).finish();
  const auto dropped = static_cast<std::uint64_t>(group.messages);
  forget_messages(dropped);
  totals_.dropped += dropped;
  return dropped;
}

std::optional<Cancelled> Ledger::cancel(std::string_view group_id, std::string_view event) {
  Group group = find(group_id);
  const bool keeps_head = group.state == leased;
  const auto kept = std::uint64_t{keeps_head ? 1U : 0U};
  const auto dropped = static_cast<std::uint64_t>(group.messages) - kept;
  const auto before = counters_.messages;
  counters_.messages -= static_cast<std::int64_t>(dropped);
  const bool fits = has_room(1, kept);
  counters_.messages = before;
  if (!fits) return std::nullopt;
  if (group.id == 0) {
    group = activate(group_id, 0);
  } else {
    delete_followers_.with(group.id, keeps_head ? group.head_seq : std::int64_t{0}).finish();
    cut_group_.with(group.id, static_cast<std::int64_t>(kept)).finish();
    if (!keeps_head) free_group_.with(group.id, 0, 0).finish();
  }
  forget_messages(dropped);
  totals_.dropped += dropped;
  const auto seq = append(group, event);
  effect_.claimable = true;
  return Cancelled{dropped, seq};
}

GroupInfo Ledger::inspect(std::string_view group_id) {
  GroupInfo info;
  info.suspended = is_suspended_.with(queue_, group_id).next();
  const Group group = find(group_id);
  if (group.id == 0) return info;
  info.messages = static_cast<std::uint64_t>(group.messages);
  info.priority = group.priority;
  info.last_claimed_at = Instant(std::chrono::nanoseconds(group.last_claimed_at));
  info.state = group.suspended ? GroupState::suspended : GroupState::ready;
  if (group.state == free) return info;
  info.state = group.state == leased ? GroupState::leased : GroupState::parked;
  info.until = Instant(std::chrono::nanoseconds(group.expiry));
  if (group.state == leased) {
    info.worker_id = group.worker_id;
    info.attempt = static_cast<std::uint32_t>(group.attempts);
  }
  return info;
}

std::vector<std::string> Ledger::groups(const GroupQuery& query) {
  Statement& list = query.suspended ? list_suspended_ : list_groups_;
  auto row = list.with(queue_, query.after.has_value(), query.after.value_or(std::string_view()),
                       limit_of(query.limit));
  std::vector<std::string> page;
  while (row.next()) page.emplace_back(row.bytes(0));
  return page;
}

std::vector<QueuedMessage<Bytes>> Ledger::peek(std::string_view group_id, std::size_t limit) {
  std::vector<QueuedMessage<Bytes>> page;
  const Group group = find(group_id);
  if (group.id == 0) return page;
  auto row = list_messages_.with(group.id, limit_of(limit));
  while (row.next()) {
    const auto attempts = page.empty() ? static_cast<std::uint32_t>(group.attempts) : 0U;
    page.push_back({static_cast<std::uint64_t>(row.integer(0)), event_of(row.bytes(1)), attempts});
  }
  return page;
}

void Ledger::count(Stats& stats) {
  std::uint64_t messages = 0;
  {
    auto row = count_groups_.with(queue_);
    row.next();
    stats.groups = static_cast<std::uint64_t>(row.integer(0));
    messages = static_cast<std::uint64_t>(row.integer(1));
    stats.ready = static_cast<std::uint64_t>(row.integer(2));
    stats.leased = static_cast<std::uint64_t>(row.integer(3));
    stats.parked = static_cast<std::uint64_t>(row.integer(4));
    stats.suspended = static_cast<std::uint64_t>(row.integer(5));
  }
  stats.waiting = messages - stats.ready - stats.leased - stats.parked - stats.suspended;
  {
    auto row = count_dead_.with(queue_);
    row.next();
    stats.dead = static_cast<std::uint64_t>(row.integer(0));
  }
  auto row = oldest_message_.with(queue_);
  if (row.next()) stats.oldest_age = std::chrono::nanoseconds(now_ - row.integer(0));
}

std::vector<DeadLetter<Bytes>> Ledger::dead_letters(std::size_t limit, std::uint64_t after_seq) {
  std::vector<DeadLetter<Bytes>> page;
  auto row = list_dead_.with(queue_, after_seq, limit_of(limit));
  while (row.next()) {
    page.push_back({static_cast<std::uint64_t>(row.integer(0)), std::string(row.bytes(1)),
                    event_of(row.bytes(2)), static_cast<std::uint32_t>(row.integer(3)),
                    static_cast<std::int32_t>(row.integer(4)), std::string(row.bytes(5)),
                    std::string(row.bytes(6))});
  }
  return page;
}

Ledger::Redriven Ledger::redrive(std::uint64_t seq, std::uint64_t& new_seq) {
  auto row = read_dead_.with(queue_, seq);
  if (!row.next()) return Redriven::not_found;
  const auto published =
      publish(row.bytes(0), row.bytes(1), static_cast<std::int32_t>(row.integer(2)));
  if (!published) return Redriven::full;
  new_seq = *published;
  row.finish();
  delete_dead_.with(queue_, seq).finish();
  ++totals_.redriven;
  return Redriven::done;
}

bool Ledger::drop_dead(std::uint64_t seq) {
  delete_dead_.with(queue_, seq).finish();
  if (sqlite3_changes(database_.handle()) == 0) return false;
  ++totals_.dropped;
  return true;
}

std::optional<std::int32_t> Ledger::highest_claimable() {
  auto row = first_claimable_.with(queue_);
  if (!row.next()) return std::nullopt;
  return static_cast<std::int32_t>(row.integer(0));
}

std::optional<Instant> Ledger::next_expiry() {
  auto row = next_expiry_.with(queue_);
  if (!row.next()) return std::nullopt;
  return Instant(std::chrono::nanoseconds(row.integer(0)));
}

std::int64_t Ledger::data_version() {
  auto row = data_version_.with();
  row.next();
  return row.integer(0);
}

}  // namespace fairlane::sqlite
