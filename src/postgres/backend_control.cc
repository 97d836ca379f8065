// The control plane, the dead letters, and waiting.
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "fairlane/detail/arguments.h"
#include "postgres/backend.h"

namespace fairlane::postgres {

namespace {

using remote::Answer;

constexpr Statement set_suspended_statement{
    "fairlane_set_suspended", "SELECT * FROM fairlane.call_set_suspended($1, $2, $3, $4)"};
constexpr Statement terminate_statement{"fairlane_terminate",
                                        "SELECT * FROM fairlane.call_terminate($1, $2, $3)"};
constexpr Statement cancel_statement{"fairlane_cancel",
                                     "SELECT * FROM fairlane.call_cancel($1, $2, $3, $4)"};
constexpr Statement inspect_statement{"fairlane_inspect",
                                      "SELECT * FROM fairlane.call_inspect($1, $2, $3)", true};
constexpr Statement groups_statement{
    "fairlane_groups", "SELECT * FROM fairlane.call_groups($1, $2, $3, $4, $5)", true};
constexpr Statement peek_statement{"fairlane_peek",
                                   "SELECT * FROM fairlane.call_peek($1, $2, $3, $4)", true};
constexpr Statement count_statement{"fairlane_count", "SELECT * FROM fairlane.call_count($1, $2)",
                                    true};
constexpr Statement dead_letters_statement{
    "fairlane_dead_letters", "SELECT * FROM fairlane.call_dead_letters($1, $2, $3, $4)", true};
constexpr Statement redrive_statement{"fairlane_redrive",
                                      "SELECT * FROM fairlane.call_redrive($1, $2, $3)"};
constexpr Statement drop_dead_statement{"fairlane_drop_dead",
                                        "SELECT * FROM fairlane.call_drop_dead($1, $2, $3)"};
constexpr Statement look_statement{"fairlane_look",
                                   "SELECT * FROM fairlane.call_look($1, $2, $3, $4, $5)", true};

/// The server counts in 63 bits.
std::int64_t limit_of(std::size_t limit) noexcept {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max()));
}

EventRef<Bytes> event_of(std::string_view bytes) { return EventRef<Bytes>::make(Bytes(bytes)); }

}  // namespace

Answer<bool> PostgresBackend::set_suspended(std::string_view group_id, bool suspended) {
  const auto called =
      call(set_suspended_statement, Parameters(queue_.id, group_id, suspended, now()));
  return {true, called.effect};
}

Answer<std::uint64_t> PostgresBackend::terminate(std::string_view group_id) {
  const auto called = call(terminate_statement, Parameters(queue_.id, group_id, now()));
  return {called.row.uint64(4), called.effect};
}

Answer<std::optional<Cancelled>> PostgresBackend::cancel(std::string_view group_id,
                                                         std::string_view event) {
  const auto called = call(cancel_statement, Parameters(queue_.id, group_id, event, now()));
  if (called.status == Status::full) return {std::nullopt, called.effect};
  if (called.status == Status::too_large) {
    detail::throw_too_large(event.size(), called.row.uint64(4));
  }
  return {Cancelled{called.row.uint64(5), called.row.uint64(6)}, called.effect};
}

Answer<GroupInfo> PostgresBackend::inspect(std::string_view group_id) {
  const auto called = call(inspect_statement, Parameters(queue_.id, group_id, now()));
  const Result& row = called.row;
  GroupInfo info;
  info.suspended = row.boolean(4);
  if (row.is_null(8)) return {info, called.effect};
  info.messages = row.uint64(5);
  info.priority = row.int32(6);
  info.last_claimed_at = Instant(std::chrono::nanoseconds(row.int64(7)));
  const auto state = row.int32(8);
  info.state = info.suspended ? GroupState::suspended : GroupState::ready;
  if (state == 0) return {info, called.effect};
  info.state = state == 1 ? GroupState::leased : GroupState::parked;
  info.until = Instant(std::chrono::nanoseconds(row.int64(9)));
  if (state == 1) {
    info.attempt = static_cast<std::uint32_t>(row.int32(10));
    info.worker_id = std::string(row.bytes(11));
  }
  return {std::move(info), called.effect};
}

Answer<std::vector<std::string>> PostgresBackend::groups(const GroupQuery& query) {
  const auto called = call(groups_statement, Parameters(queue_.id, query.suspended, query.after,
                                                        limit_of(query.limit), now()));
  std::vector<std::string> page;
  for (const auto group_id : called.row.many_bytes(4)) page.emplace_back(group_id);
  return {std::move(page), called.effect};
}

Answer<std::vector<QueuedMessage<Bytes>>> PostgresBackend::peek(std::string_view group_id,
                                                                std::size_t limit) {
  const auto called = call(peek_statement, Parameters(queue_.id, group_id, limit_of(limit), now()));
  const auto seqs = called.row.int64s(4);
  const auto events = called.row.many_bytes(5);
  std::vector<QueuedMessage<Bytes>> page;
  for (std::size_t i = 0; i < seqs.size(); ++i) {
    const auto attempts = i == 0 ? static_cast<std::uint32_t>(called.row.int32(6)) : 0U;
    page.push_back({static_cast<std::uint64_t>(seqs[i]), event_of(events.at(i)), attempts});
  }
  return {std::move(page), called.effect};
}

Answer<Stats> PostgresBackend::count() {
  const auto called = call(count_statement, Parameters(queue_.id, now()));
  const Result& row = called.row;
  Stats stats;
  stats.groups = row.uint64(4);
  stats.ready = row.uint64(6);
  stats.leased = row.uint64(7);
  stats.parked = row.uint64(8);
  stats.suspended = row.uint64(9);
  stats.waiting = row.uint64(5) - stats.ready - stats.leased - stats.parked - stats.suspended;
  stats.dead = row.uint64(10);
  stats.oldest_age = std::chrono::nanoseconds(std::max<std::int64_t>(row.int64(11), 0));
  return {stats, called.effect};
}

Answer<std::vector<DeadLetter<Bytes>>> PostgresBackend::dead_letters(std::size_t limit,
                                                                     std::uint64_t after_seq) {
  const auto called = call(dead_letters_statement,
                           Parameters(queue_.id, limit_of(after_seq), limit_of(limit), now()));
  const Result& row = called.row;
  const auto seqs = row.int64s(4);
  const auto groups = row.many_bytes(5);
  const auto events = row.many_bytes(6);
  const auto attempts = row.int32s(7);
  const auto priorities = row.int32s(8);
  const auto workers = row.many_bytes(9);
  const auto reasons = row.many_bytes(10);
  std::vector<DeadLetter<Bytes>> page;
  for (std::size_t i = 0; i < seqs.size(); ++i) {
    page.push_back({static_cast<std::uint64_t>(seqs[i]), std::string(groups.at(i)),
                    event_of(events.at(i)), static_cast<std::uint32_t>(attempts.at(i)),
                    priorities.at(i), std::string(workers.at(i)), std::string(reasons.at(i))});
  }
  return {std::move(page), called.effect};
}

Answer<remote::Redriven> PostgresBackend::redrive(std::uint64_t seq) {
  using Outcome = remote::Redriven::Outcome;
  const auto called = call(redrive_statement, Parameters(queue_.id, seq, now()));
  if (!called.row.boolean(4)) return {{Outcome::not_found}, called.effect};
  if (called.status == Status::full) return {{Outcome::full}, called.effect};
  return {{Outcome::done, called.row.uint64(5)}, called.effect};
}

Answer<bool> PostgresBackend::drop_dead(std::uint64_t seq) {
  const auto called = call(drop_dead_statement, Parameters(queue_.id, seq, now()));
  return {called.row.boolean(4), called.effect};
}

remote::Look PostgresBackend::look(remote::Listener& listener, const remote::Wishes& wishes) {
  // A proxy would leave the LISTEN to whoever has the server's session next.
  const std::int32_t pid = target_.pooled ? 0 : messenger_->listen(listener);
  const Result row =
      ask(look_statement, Parameters(queue_.id, pid, wishes.min_priority, wishes.room, now()));
  set_clock(row.int64(2));
  remote::Look look;
  look.claimable = row.optional_int32(0);
  if (const auto ends_in = row.optional_int64(1)) look.ends_in = std::chrono::nanoseconds(*ends_in);
  return look;
}

}  // namespace fairlane::postgres
