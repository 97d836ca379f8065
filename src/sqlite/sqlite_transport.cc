// Each verb: judge the arguments, read the clock, one transaction, then wake who waits.
#include "fairlane/sqlite_transport.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "common/url.h"
#include "fairlane/detail/arguments.h"
#include "fairlane/error.h"
#include "fairlane/open.h"
#include "sqlite/ledger.h"
#include "sqlite/session.h"

namespace fairlane::sqlite {

namespace {

using detail::check_duration;
using detail::check_group_id;

Lease<Bytes> lease_of(Claimed claimed) {
  return Lease<Bytes>(
      claimed.key, claimed.expires_at,
      detail::Shared<detail::GroupId>::adopt(detail::GroupId::create(claimed.group_id)),
      EventRef<Bytes>::make(std::move(claimed.event)));
}

class SqliteTransport final : public Transport<Bytes>, private Control<Bytes> {
 public:
  explicit SqliteTransport(const SqliteOptions& options) : session_(options) {}

  using Transport<Bytes>::publish;

  std::uint64_t publish(std::string_view group_id, Bytes&& event, std::int32_t priority) override {
    check_group_id(group_id);
    const auto seq = session_.transact(
        [&](Ledger& ledger) {
          check_size(ledger, event);
          return ledger.publish(group_id, event, priority);
        },
        Asks::room);
    if (!seq) throw_full();
    return *seq;
  }

  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override {
    for (const auto& message : messages) check_group_id(message.group_id);
    std::vector<std::uint64_t> seqs;
    seqs.reserve(messages.size());
    if (messages.empty()) return seqs;
    session_.transact([&](Ledger& ledger) {
      seqs.clear();
      for (const auto& message : messages) check_size(ledger, message.event);
      for (const auto& message : messages) {
        const auto seq = ledger.publish(message.group_id, message.event, message.priority);
        if (!seq) throw_full();
        seqs.push_back(*seq);
      }
      return 0;
    });
    return seqs;
  }

  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override {
    check_group_id(group_id);
    check_duration(timeout, "timeout");
    Waiter waiter{.publishes = true};
    return session_.wait<std::uint64_t>(waiter, timeout, stop, [&] {
      return session_.transact([&](Ledger& ledger) {
        check_size(ledger, event);
        return ledger.publish(group_id, event, priority);
      });
    });
  }

  std::optional<Lease<Bytes>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority) override {
    check_duration(visibility, "visibility");
    return lease_of(session_.transact(
        [&](Ledger& ledger) { return ledger.claim(worker_id, visibility, min_priority); }));
  }

  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility, std::int32_t min_priority) override {
    check_duration(visibility, "visibility");
    auto claimed = session_.transact([&](Ledger& ledger) {
      std::vector<Claimed> all;
      while (all.size() < n) {
        auto one = ledger.claim(worker_id, visibility, min_priority);
        if (!one) break;
        all.push_back(*std::move(one));
      }
      return all;
    });
    std::vector<Lease<Bytes>> leases;
    leases.reserve(claimed.size());
    for (auto& one : claimed) leases.push_back(sqlite::lease_of(std::move(one)));
    return leases;
  }

  std::optional<Lease<Bytes>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority, Duration timeout,
                                         std::stop_token stop) override {
    check_duration(visibility, "visibility");
    check_duration(timeout, "timeout");
    Waiter waiter{.min_priority = min_priority};
    return lease_of(session_.wait<Claimed>(waiter, timeout, stop, [&] {
      return session_.transact(
          [&](Ledger& ledger) { return ledger.claim(worker_id, visibility, min_priority); });
    }));
  }

  Settled ack(const Lease<Bytes>& lease) override {
    check_store(lease);
    return session_.transact(
        [&](Ledger& ledger) { return ledger.ack(lease.group_id(), lease.fence()); },
        Asks::attempts);
  }

  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override {
    for (const auto& lease : leases) check_store(lease);
    return session_.transact([&](Ledger& ledger) {
      std::vector<Settled> settled;
      settled.reserve(leases.size());
      for (const auto& lease : leases) {
        settled.push_back(ledger.ack(lease.group_id(), lease.fence()));
      }
      return settled;
    });
  }

  AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority) override {
    check_store(lease);
    check_duration(visibility, "visibility");
    auto both = session_.transact([&](Ledger& ledger) {
      const auto settled = ledger.ack(lease.group_id(), lease.fence());
      return std::pair(settled, ledger.claim(worker_id, visibility, min_priority));
    });
    return {both.first, lease_of(std::move(both.second))};
  }

  Settled nack(const Lease<Bytes>& lease, Duration delay) override {
    check_store(lease);
    check_duration(delay, "delay");
    return session_.transact(
        [&](Ledger& ledger) { return ledger.nack(lease.group_id(), lease.fence(), delay); });
  }
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override {
    check_store(lease);
    check_duration(visibility, "visibility");
    return session_.transact(
        [&](Ledger& ledger) { return ledger.extend(lease.group_id(), lease.fence(), visibility); });
  }
  Settled release(const Lease<Bytes>& lease) override {
    check_store(lease);
    return session_.transact(
        [&](Ledger& ledger) { return ledger.release(lease.group_id(), lease.fence()); });
  }
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override {
    check_store(lease);
    return session_.transact(
        [&](Ledger& ledger) { return ledger.reject(lease.group_id(), lease.fence(), reason); });
  }

  void close() override { session_.close(); }

  Control<Bytes>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return session_.clock(); }

 private:
  // Control.
  void suspend(std::string_view group_id) override {
    check_group_id(group_id);
    session_.transact([&](Ledger& ledger) { return ledger.suspend(group_id), 0; });
  }
  void resume(std::string_view group_id) override {
    check_group_id(group_id);
    session_.transact([&](Ledger& ledger) { return ledger.resume(group_id), 0; });
  }
  std::uint64_t terminate(std::string_view group_id) override {
    check_group_id(group_id);
    return session_.transact([&](Ledger& ledger) { return ledger.terminate(group_id); });
  }
  Cancelled cancel(std::string_view group_id, Bytes&& event) override {
    check_group_id(group_id);
    const auto cancelled = session_.transact([&](Ledger& ledger) {
      check_size(ledger, event);
      return ledger.cancel(group_id, event);
    });
    if (!cancelled) throw_full();
    return *cancelled;
  }
  GroupInfo inspect(std::string_view group_id) override {
    check_group_id(group_id);
    return session_.transact([&](Ledger& ledger) { return ledger.inspect(group_id); });
  }
  std::vector<std::string> groups(const GroupQuery& query) override {
    return session_.transact([&](Ledger& ledger) { return ledger.groups(query); });
  }
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit) override {
    check_group_id(group_id);
    return session_.transact([&](Ledger& ledger) { return ledger.peek(group_id, limit); });
  }
  Stats stats() override {
    return session_.transact([&](Ledger& ledger) {
      Stats stats;
      ledger.count(stats);
      session_.add_totals(stats);
      return stats;
    });
  }
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after_seq) override {
    return session_.transact([&](Ledger& ledger) { return ledger.dead_letters(limit, after_seq); });
  }
  std::uint64_t redrive(std::uint64_t seq) override {
    std::uint64_t new_seq = 0;
    const auto redriven =
        session_.transact([&](Ledger& ledger) { return ledger.redrive(seq, new_seq); });
    if (redriven == Ledger::Redriven::full) throw_full();
    if (redriven == Ledger::Redriven::not_found) throw_not_found(seq);
    return new_seq;
  }
  void drop_dead(std::uint64_t seq) override {
    if (!session_.transact([&](Ledger& ledger) { return ledger.drop_dead(seq); }))
      throw_not_found(seq);
  }

  [[noreturn]] static void throw_full() {
    throw TransportError(ErrorCode::full, "no room in the queue, or in the group");
  }
  [[noreturn]] static void throw_not_found(std::uint64_t seq) {
    throw TransportError(ErrorCode::not_found, "no dead letter has seq " + std::to_string(seq));
  }
  void check_store(const Lease<Bytes>& lease) const {
    if (lease.key().store == session_.store()) return;
    throw std::invalid_argument("the lease of seq " + std::to_string(lease.seq()) +
                                " was given by another store");
  }
  static void check_size(Ledger& ledger, const Bytes& event) {
    const auto limit = ledger.rules().max_event_bytes;
    if (limit != 0 && event.size() > limit) detail::throw_too_large(event.size(), limit);
  }
  static std::optional<Lease<Bytes>> lease_of(std::optional<Claimed> claimed) {
    if (!claimed) return std::nullopt;
    return sqlite::lease_of(*std::move(claimed));
  }

  Session session_;
};

}  // namespace

}  // namespace fairlane::sqlite

namespace fairlane {

std::unique_ptr<Transport<Bytes>> open_sqlite(const SqliteOptions& options) {
  if (options.path.empty() || options.path.find('\0') != std::string::npos) {
    throw std::invalid_argument("the path of the queue's file is empty, or holds a NUL: \"" +
                                options.path + "\"");
  }
  detail::check_duration(options.busy_timeout, "busy_timeout");
  detail::check_duration(options.poll_interval, "poll_interval");
  return std::make_unique<sqlite::SqliteTransport>(options);
}

namespace {

std::unique_ptr<Transport<Bytes>> open_url(std::string_view rest, const OpenOptions& options) {
  auto url = common::parse_url(rest);
  SqliteOptions sqlite{.path = url.path,
                       .queue = options.queue,
                       .change_options = options.change_options,
                       .clock = options.clock};
  for (const auto& [name, value] : url.parameters) {
    if (name == "queue") {
      sqlite.queue_name = value;
    } else if (name == "synchronous" && (value == "full" || value == "normal")) {
      sqlite.synchronous = value == "full" ? SqliteSynchronous::full : SqliteSynchronous::normal;
    } else {
      std::string fault = "sqlite: does not know \"";
      fault.append(name).append("=").append(value);
      fault += "\"; it knows queue=NAME, synchronous=full, synchronous=normal";
      throw std::invalid_argument(fault);
    }
  }
  return open_sqlite(sqlite);
}

}  // namespace

void register_sqlite() { register_engine("sqlite", open_url); }

}  // namespace fairlane
