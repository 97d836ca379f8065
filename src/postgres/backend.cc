#include "postgres/backend.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "fairlane/detail/arguments.h"
#include "fairlane/error.h"
#include "postgres/errors.h"

namespace fairlane::postgres {

namespace {

using remote::Answer;

constexpr Statement publish_statement{"fairlane_publish",
                                      "SELECT * FROM fairlane.call_publish($1, $2, $3, $4, $5)"};
constexpr Statement publish_batch_statement{
    "fairlane_publish_batch", "SELECT * FROM fairlane.call_publish_batch($1, $2, $3, $4, $5)"};
constexpr Statement work_statement{
    "fairlane_work", "SELECT * FROM fairlane.call_work($1, $2, $3, $4, $5, $6, $7, $8, $9)"};
constexpr Statement settle_statement{
    "fairlane_settle", "SELECT * FROM fairlane.call_settle($1, $2, $3, $4, $5, $6, $7)"};

/// How often a call is made again that the server undid.
constexpr int most_tries = 20;

std::int64_t nanoseconds(Duration duration) noexcept { return duration.value().count(); }

Target target_of(const PostgresOptions& options) {
  Target target = parse_target(options.conninfo);
  target.statement_timeout = options.statement_timeout;
  target.pooled = options.pooled;
  const auto whole = std::chrono::ceil<std::chrono::seconds>(options.connect_timeout.value());
  const auto seconds = std::clamp<std::int64_t>(whole.count(), 2, 86'400);
  // `emplace` leaves alone what the caller said. A dead network is noticed within half a minute.
  target.words.emplace("connect_timeout", std::to_string(seconds));
  target.words.emplace("tcp_user_timeout", "30000");
  target.words.emplace("keepalives_idle", "10");
  target.words.emplace("keepalives_interval", "5");
  target.words.emplace("keepalives_count", "4");
  target.words.emplace("fallback_application_name", "fairlane");
  target.words.emplace("client_encoding", "UTF8");
  return target;
}

}  // namespace

PostgresBackend::PostgresBackend(const PostgresOptions& options)
    : target_(target_of(options)),
      server_clock_(options.clock == nullptr ? std::make_shared<remote::ServerClock>() : nullptr),
      clock_(options.clock == nullptr ? server_clock_ : options.clock),
      pool_(options.max_connections, [this] { return std::make_unique<Connection>(target_); }) {
  auto connection = pool_.lend();
  try {
    prepare_schema(*connection, options.create_schema);
    queue_ = open_queue(*connection, options);
  } catch (const Undone& error) {
    throw TransportError(ErrorCode::unavailable, error.what());
  } catch (const NotSent&) {
    throw TransportError(ErrorCode::unavailable, "the connection broke");
  }
  set_clock(queue_.server_now.time_since_epoch().count());
  messenger_ = std::make_unique<Messenger>(
      queue_.id, [this] { return std::make_unique<Connection>(target_); });
}

void PostgresBackend::close() {
  pool_.close();
  messenger_->close();
}

std::optional<std::int64_t> PostgresBackend::now() const {
  if (server_clock_ != nullptr) return std::nullopt;
  return clock_->now().time_since_epoch().count();
}

void PostgresBackend::set_clock(std::int64_t server_now) {
  if (server_clock_ != nullptr) server_clock_->set(Instant(std::chrono::nanoseconds(server_now)));
}

Result PostgresBackend::ask(const Statement& statement, const Parameters& parameters) {
  for (int tries = 1;; ++tries) {
    auto connection = pool_.lend();
    try {
      return connection->execute(statement, parameters);
    } catch (const Undone& error) {
      if (tries == most_tries) throw TransportError(ErrorCode::unavailable, error.what());
    } catch (const NotSent&) {
      connection.discard();
      if (tries == most_tries) {
        throw TransportError(ErrorCode::unavailable, "no connection lasts long enough for a call");
      }
    } catch (...) {
      if (!connection->is_usable()) connection.discard();
      throw;
    }
  }
}

PostgresBackend::Called PostgresBackend::call(const Statement& statement,
                                              const Parameters& parameters) {
  remote::Effect effect;
  for (;;) {
    Result row = ask(statement, parameters);
    const auto status = static_cast<Status>(row.int32(0));
    effect.died += static_cast<std::uint64_t>(row.optional_int64(1).value_or(0));
    // No priority is less than no priority.
    effect.claimable = std::max(effect.claimable, row.optional_int32(2));
    effect.room = effect.room || (!row.is_null(3) && row.boolean(3));
    if (status != Status::again) return {std::move(row), status, effect};
  }
}

Answer<std::optional<std::vector<std::uint64_t>>> PostgresBackend::publish(
    std::span<const remote::Message> messages) {
  Called called = [&] {
    if (messages.size() == 1) {
      const auto& one = messages.front();
      return call(publish_statement,
                  Parameters(queue_.id, one.group_id, one.event, one.priority, now()));
    }
    std::vector<std::string_view> groups;
    std::vector<std::string_view> events;
    std::vector<std::int32_t> priorities;
    for (const auto& one : messages) {
      groups.push_back(one.group_id);
      events.push_back(one.event);
      priorities.push_back(one.priority);
    }
    return call(publish_batch_statement, Parameters(queue_.id, groups, events, priorities, now()));
  }();
  if (called.status == Status::full) return {std::nullopt, called.effect};
  if (called.status == Status::too_large) {
    const auto limit = called.row.uint64(4);
    for (const auto& one : messages) {
      if (one.event.size() > limit) detail::throw_too_large(one.event.size(), limit);
    }
  }
  std::vector<std::uint64_t> seqs;
  for (const auto seq : called.row.int64s(5)) seqs.push_back(static_cast<std::uint64_t>(seq));
  return {std::move(seqs), called.effect};
}

PostgresBackend::Called PostgresBackend::work(std::span<const remote::LeaseName> leases,
                                              const remote::ClaimRequest& request) {
  std::vector<std::string_view> groups;
  std::vector<std::int64_t> fences;
  for (const auto& lease : leases) {
    groups.push_back(lease.group_id);
    fences.push_back(static_cast<std::int64_t>(lease.fence));
  }
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  return call(work_statement, Parameters(queue_.id, groups, fences,
                                         static_cast<std::int32_t>(std::min(request.count, most)),
                                         request.worker_id, nanoseconds(request.visibility),
                                         request.min_priority, request.look_further, now()));
}

std::vector<remote::Claimed> PostgresBackend::claimed(Called& called,
                                                      const remote::ClaimRequest& request) const {
  const Result& row = called.row;
  called.effect.more = row.optional_int32(4);
  const auto seqs = row.int64s(9);
  if (seqs.empty()) return {};
  const auto groups = row.many_bytes(7);
  const auto events = row.many_bytes(8);
  const auto attempts = row.int32s(10);
  const auto fences = row.int64s(11);
  const Instant expiry{std::chrono::nanoseconds(row.int64(12))};
  std::vector<remote::Claimed> all;
  all.reserve(seqs.size());
  for (std::size_t i = 0; i < seqs.size(); ++i) {
    all.push_back(
        {{queue_.store, static_cast<std::uint64_t>(fences.at(i)),
          static_cast<std::uint64_t>(seqs[i]), static_cast<std::uint32_t>(attempts.at(i))},
         expiry,
         std::string(groups.at(i)),
         std::string(events.at(i))});
  }
  called.effect.ends_in = request.visibility;
  return all;
}

Answer<std::vector<remote::Claimed>> PostgresBackend::claim(const remote::ClaimRequest& request) {
  Called called = work({}, request);
  set_clock(called.row.int64(5));
  auto all = claimed(called, request);
  return {std::move(all), called.effect};
}

Answer<remote::AckedAndClaimed> PostgresBackend::ack(std::span<const remote::LeaseName> leases,
                                                     const remote::ClaimRequest* then_claim) {
  const remote::ClaimRequest none{.count = 0, .worker_id = {}, .visibility = {}};
  const auto& request = then_claim != nullptr ? *then_claim : none;
  Called called = work(leases, request);
  set_clock(called.row.int64(5));
  remote::AckedAndClaimed both;
  for (const bool done : called.row.booleans(6)) {
    both.settled.push_back(done ? Settled::done : Settled::stale);
  }
  both.claimed = claimed(called, request);
  return {std::move(both), called.effect};
}

Answer<Settled> PostgresBackend::settle(const remote::LeaseName& lease,
                                        const remote::Settlement& settlement) {
  using Verb = remote::Settlement::Verb;
  Called called = call(
      settle_statement,
      Parameters(queue_.id, lease.group_id, lease.fence, static_cast<std::int32_t>(settlement.verb),
                 nanoseconds(settlement.duration), settlement.reason, now()));
  if (!called.row.boolean(4)) return {Settled::stale, called.effect};
  const bool parks = settlement.verb == Verb::nack && settlement.duration > Duration();
  if (parks || settlement.verb == Verb::extend) called.effect.ends_in = settlement.duration;
  return {Settled::done, called.effect};
}

}  // namespace fairlane::postgres
