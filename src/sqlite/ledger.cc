#include "sqlite/ledger.h"

#include <algorithm>
#include <utility>

#include "fairlane/error.h"

namespace fairlane::sqlite {

namespace {

Instant instant(std::int64_t nanoseconds) noexcept {
  return Instant(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

Ledger::Group Ledger::read(Statement::Run row) {
  Group group;
  if (!row.next()) return group;
  group.id = row.integer(0);
  group.group_id = row.bytes(1);
  group.priority = static_cast<std::int32_t>(row.integer(2));
  group.messages = row.integer(3);
  group.last_claimed_at = row.integer(4);
  group.head_seq = row.integer(5);
  group.attempts = row.integer(6);
  group.state = static_cast<int>(row.integer(7));
  group.suspended = row.integer(8) != 0;
  group.expiry = row.integer(9);
  group.fence = row.integer(10);
  group.worker_id = row.bytes(11);
  return group;
}

Ledger::Group Ledger::find(std::string_view group_id) {
  return read(find_group_.with(queue_, group_id));
}

Ledger::Group Ledger::current(std::string_view group_id, std::uint64_t fence) {
  if (fence == 0) return {};  // Groups that nobody holds have that one.
  return read(find_current_.with(queue_, group_id, fence));
}

Settled Ledger::stale() noexcept {
  ++totals_.stale;
  return Settled::stale;
}

bool Ledger::is_exhausted(const Group& group) const noexcept {
  return rules_.max_attempts != 0 && group.attempts >= std::int64_t{rules_.max_attempts};
}

bool Ledger::begin(Instant now, Asks asks) {
  totals_ = {};
  effect_ = {};
  {
    auto row = read_queue_.with(queue_);
    if (!row.next()) throw TransportError(ErrorCode::corrupt, "the queue's record is gone");
    rules_ = {
        static_cast<Rotation>(row.integer(0)),      static_cast<WhenExhausted>(row.integer(1)),
        static_cast<std::uint32_t>(row.integer(2)), static_cast<std::uint64_t>(row.integer(3)),
        static_cast<std::uint64_t>(row.integer(4)), static_cast<std::uint64_t>(row.integer(5))};
    saved_ = counters_ = {row.integer(6), row.integer(7), row.integer(8), row.integer(9),
                          row.integer(10)};
  }
  latest_ = now_ = std::max({now.time_since_epoch().count(), counters_.now, latest_});
  const bool limited =
      rules_.max_attempts != 0 ||
      (asks == Asks::room && (rules_.max_messages != 0 || rules_.max_group_messages != 0));
  if (asks != Asks::now && !limited) return true;
  if (!has_expired_.with(queue_, now_).next()) return true;
  keep_now();
  int left = lapses_at_once;
  if (rules_.max_attempts != 0) lapse_exhausted(left);
  free_expired_.with(queue_, now_, rules_.max_attempts, left).finish();
  const auto freed = sqlite3_changes(database_.handle());
  effect_.claimable = effect_.claimable || freed > 0;
  return freed < left;
}

void Ledger::lapse_exhausted(int& left) {
  for (; left > 0; --left) {
    const Group group = read(find_exhausted_.with(queue_, now_, rules_.max_attempts));
    if (group.id == 0) return;
    fail_exhausted(group);
  }
}

void Ledger::save() {
  if (counters_ == saved_) return;
  save_queue_
      .with(queue_, counters_.now, counters_.seq, counters_.fence, counters_.line,
            counters_.messages)
      .finish();
  saved_ = counters_;
}

void Ledger::keep_now() noexcept { counters_.now = now_; }

bool Ledger::has_room(std::uint64_t more, std::uint64_t group_messages) const noexcept {
  const auto fits = [](std::uint64_t limit, std::uint64_t held, std::uint64_t added) {
    return limit == 0 || (held < limit && added <= limit - held);
  };
  return fits(rules_.max_messages, static_cast<std::uint64_t>(counters_.messages), more) &&
         fits(rules_.max_group_messages, group_messages, more);
}

Ledger::Group Ledger::activate(std::string_view group_id, std::int32_t priority) {
  const bool in_line = rules_.rotation == Rotation::ready_order;
  Group group;
  group.group_id = group_id;
  group.priority = priority;
  group.suspended = is_suspended_.with(queue_, group_id).next();
  insert_group_.with(queue_, group_id, priority, in_line ? ++counters_.line : 0, group.suspended)
      .finish();
  group.id = sqlite3_last_insert_rowid(database_.handle());
  return group;
}

std::uint64_t Ledger::append(const Group& group, std::string_view event) {
  const std::int64_t seq = ++counters_.seq;
  insert_message_.with(group.id, seq, now_, event).finish();
  grow_group_.with(group.id, seq).finish();
  if (rules_.max_messages != 0) ++counters_.messages;
  ++totals_.published;
  return static_cast<std::uint64_t>(seq);
}

std::optional<std::uint64_t> Ledger::publish(std::string_view group_id, std::string_view event,
                                             std::int32_t priority) {
  Group group = find(group_id);
  if (!has_room(1, static_cast<std::uint64_t>(group.messages))) return std::nullopt;
  if (group.id == 0) {
    group = activate(group_id, priority);
    effect_.claimable = true;
  }
  return append(group, event);
}

std::optional<Claimed> Ledger::claim(std::string_view worker_id, Duration visibility,
                                     std::int32_t min_priority) {
  Group first;
  std::int64_t first_turn = 0;
  // The first of each priority in use; among them the rotation alone decides.
  for (std::int64_t floor = min_priority;;) {
    auto row = find_claimable_.with(queue_, floor);
    if (!row.next()) break;
    const std::int64_t turn = row.integer(12);
    const std::int64_t priority = row.integer(2);
    const std::int64_t head_seq = row.integer(5);
    const std::int64_t id = row.integer(0);
    if (first.id == 0 || turn < first_turn || (turn == first_turn && head_seq < first.head_seq)) {
      first.id = id;
      first.group_id = row.bytes(1);
      first.head_seq = head_seq;
      first.attempts = row.integer(6);
      first_turn = turn;
    }
    floor = priority + 1;
  }
  if (first.id == 0) return std::nullopt;

  const std::int64_t fence = ++counters_.fence;
  const bool in_line = rules_.rotation == Rotation::ready_order;
  const std::int64_t turn = in_line ? ++counters_.line : now_;
  keep_now();
  const Instant expiry = saturating_add(instant(now_), visibility);
  lease_group_.with(first.id, now_, turn, expiry.time_since_epoch().count(), fence, worker_id)
      .finish();
  effect_.alarm = std::min(effect_.alarm, expiry);
  ++totals_.claims;
  if (first.attempts > 0) ++totals_.redelivered;

  auto row = read_message_.with(first.id, first.head_seq);
  if (!row.next()) throw TransportError(ErrorCode::corrupt, "a group's head is not in the file");
  return Claimed{
      {store_, static_cast<std::uint64_t>(fence), static_cast<std::uint64_t>(first.head_seq),
       static_cast<std::uint32_t>(first.attempts + 1)},
      expiry,
      std::move(first.group_id),
      std::string(row.bytes(0))};
}

void Ledger::forget_messages(std::uint64_t count) {
  if (rules_.max_messages != 0) counters_.messages -= static_cast<std::int64_t>(count);
  effect_.room = effect_.room || count > 0;
}

void Ledger::remove_head(const Group& group) {
  delete_message_.with(group.id, group.head_seq).finish();
  forget_messages(1);
  if (group.messages == 1) return delete_group_.with(group.id).finish();
  std::int64_t next = 0;
  {
    auto row = next_message_.with(group.id, group.head_seq);
    if (!row.next()) throw TransportError(ErrorCode::corrupt, "a group's next message is missing");
    next = row.integer(0);
  }
  advance_head_.with(group.id, next).finish();
  effect_.claimable = true;
}

void Ledger::set_free(const Group& group, std::int64_t attempts) {
  free_group_.with(group.id, attempts, 0).finish();
  effect_.claimable = true;
}

void Ledger::set_in_flight(const Group& group, State state, Duration duration) {
  const Instant expiry = saturating_add(instant(now_), duration);
  fly_group_
      .with(group.id, static_cast<int>(state), expiry.time_since_epoch().count(),
            state == leased ? group.fence : 0)
      .finish();
  keep_now();
  effect_.alarm = std::min(effect_.alarm, expiry);
}

void Ledger::bury(const Group& group, std::string_view reason) {
  {
    auto row = read_message_.with(group.id, group.head_seq);
    if (!row.next()) throw TransportError(ErrorCode::corrupt, "a group's head is not in the file");
    insert_dead_
        .with(queue_, group.head_seq, std::string_view(group.group_id), row.bytes(0),
              group.attempts, group.priority, std::string_view(group.worker_id), reason)
        .finish();
  }
  ++totals_.dead_lettered;
  remove_head(group);
}

void Ledger::fail_exhausted(const Group& group) {
  if (rules_.when_exhausted == WhenExhausted::dead_letter) return bury(group, {});
  insert_suspended_.with(queue_, std::string_view(group.group_id)).finish();
  mark_group_.with(queue_, std::string_view(group.group_id), true).finish();
  free_group_.with(group.id, group.attempts, 0).finish();
}

Settled Ledger::ack(std::string_view group_id, std::uint64_t fence) {
  const Group group = current(group_id, fence);
  if (group.id == 0) return stale();
  remove_head(group);
  ++totals_.acked;
  return Settled::done;
}

Settled Ledger::nack(std::string_view group_id, std::uint64_t fence, Duration delay) {
  const Group group = current(group_id, fence);
  if (group.id == 0) return stale();
  ++totals_.nacks;
  if (is_exhausted(group)) {
    fail_exhausted(group);
  } else if (delay > Duration()) {
    set_in_flight(group, parked, delay);
  } else {
    set_free(group, group.attempts);
  }
  return Settled::done;
}

Settled Ledger::extend(std::string_view group_id, std::uint64_t fence, Duration visibility) {
  const Group group = current(group_id, fence);
  if (group.id == 0) return stale();
  set_in_flight(group, leased, visibility);
  return Settled::done;
}

Settled Ledger::release(std::string_view group_id, std::uint64_t fence) {
  const Group group = current(group_id, fence);
  if (group.id == 0) return stale();
  set_free(group, group.attempts - 1);
  ++totals_.released;
  return Settled::done;
}

Settled Ledger::reject(std::string_view group_id, std::uint64_t fence, std::string_view reason) {
  const Group group = current(group_id, fence);
  if (group.id == 0) return stale();
  bury(group, reason);
  return Settled::done;
}

}  // namespace fairlane::sqlite
