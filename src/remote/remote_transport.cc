// Each verb: judge the arguments, one call of the backend, count, wake who waits.
#include "remote/remote_transport.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "fairlane/detail/arguments.h"
#include "fairlane/error.h"
#include "remote/totals.h"
#include "remote/waiting.h"

namespace fairlane::remote {

namespace {

using detail::check_duration;
using detail::check_group_id;

[[noreturn]] void throw_full() {
  throw TransportError(ErrorCode::full, "no room in the queue, or in the group");
}
[[noreturn]] void throw_not_found(std::uint64_t seq) {
  throw TransportError(ErrorCode::not_found, "no dead letter has seq " + std::to_string(seq));
}

Lease<Bytes> lease_of(Claimed claimed) {
  return Lease<Bytes>(
      claimed.key, claimed.expires_at,
      detail::Shared<detail::GroupId>::adopt(detail::GroupId::create(claimed.group_id)),
      EventRef<Bytes>::make(std::move(claimed.event)));
}
std::vector<Lease<Bytes>> leases_of(std::vector<Claimed> claimed) {
  std::vector<Lease<Bytes>> leases;
  leases.reserve(claimed.size());
  for (auto& one : claimed) leases.push_back(lease_of(std::move(one)));
  return leases;
}
std::optional<Lease<Bytes>> first_of(std::vector<Claimed> claimed) {
  if (claimed.empty()) return std::nullopt;
  return lease_of(std::move(claimed.front()));
}
/// Backends give a group that nobody holds the fence 0. A lease that no claim gave may have it too:
/// it goes by another, which is right no more often than any that is made up.
LeaseName name_of(const Lease<Bytes>& lease) {
  constexpr std::uint64_t made_up = std::numeric_limits<std::int64_t>::max();
  return {lease.group_id(), lease.fence() != 0 ? lease.fence() : made_up, lease.seq()};
}

class RemoteTransport final : public Transport<Bytes>, private Control<Bytes> {
 public:
  explicit RemoteTransport(std::unique_ptr<Backend> backend)
      : backend_(std::move(backend)), waiting_(*backend_) {}
  ~RemoteTransport() override { close(); }

  using Transport<Bytes>::publish;

  std::uint64_t publish(std::string_view group_id, Bytes&& event, std::int32_t priority) override {
    check_group_id(group_id);
    const auto seq = try_publish(group_id, event, priority);
    if (!seq) throw_full();
    return *seq;
  }

  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override {
    for (const auto& message : messages) check_group_id(message.group_id);
    if (messages.empty()) return {};
    std::vector<Message> all;
    all.reserve(messages.size());
    for (const auto& one : messages) all.push_back({one.group_id, one.event, one.priority});
    auto seqs = ask([&] { return backend_->publish(all); });
    if (!seqs) throw_full();
    totals_.add(&Stats::published, seqs->size());
    return *std::move(seqs);
  }

  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override {
    check_group_id(group_id);
    check_duration(timeout, "timeout");
    Waiter waiter{.publishes = true};
    return waiting_.wait<std::uint64_t>(waiter, timeout, stop,
                                        [&] { return try_publish(group_id, event, priority); });
  }

  std::optional<Lease<Bytes>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority) override {
    check_duration(visibility, "visibility");
    return first_of(claim_some({1, worker_id, visibility, min_priority}));
  }

  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility, std::int32_t min_priority) override {
    check_duration(visibility, "visibility");
    return leases_of(claim_some({n, worker_id, visibility, min_priority}));
  }

  std::optional<Lease<Bytes>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority, Duration timeout,
                                         std::stop_token stop) override {
    check_duration(visibility, "visibility");
    check_duration(timeout, "timeout");
    Waiter waiter{.min_priority = min_priority};
    return waiting_.wait<Lease<Bytes>>(waiter, timeout, stop, [&] {
      return first_of(claim_some({1, worker_id, visibility, min_priority, waiting_.is_crowded()}));
    });
  }

  Settled ack(const Lease<Bytes>& lease) override {
    check_store(lease);
    const LeaseName name = name_of(lease);
    return acked(ask([&] { return backend_->ack({&name, 1}, nullptr); }).settled).front();
  }

  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override {
    for (const auto& lease : leases) check_store(lease);
    if (leases.empty()) return {};
    std::vector<LeaseName> names;
    names.reserve(leases.size());
    for (const auto& lease : leases) names.push_back(name_of(lease));
    return acked(ask([&] { return backend_->ack(names, nullptr); }).settled);
  }

  fairlane::AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker_id,
                                             Duration visibility,
                                             std::int32_t min_priority) override {
    check_store(lease);
    check_duration(visibility, "visibility");
    const LeaseName name = name_of(lease);
    const ClaimRequest request{1, worker_id, visibility, min_priority};
    auto both = ask([&] { return backend_->ack({&name, 1}, &request); });
    const Settled settled = acked(std::move(both.settled)).front();
    return {settled, first_of(counted(std::move(both.claimed)))};
  }

  Settled nack(const Lease<Bytes>& lease, Duration delay) override {
    check_store(lease);
    check_duration(delay, "delay");
    return settle(lease, {Settlement::Verb::nack, delay}, &Stats::nacks);
  }
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override {
    check_store(lease);
    check_duration(visibility, "visibility");
    return settle(lease, {Settlement::Verb::extend, visibility}, nullptr);
  }
  Settled release(const Lease<Bytes>& lease) override {
    check_store(lease);
    return settle(lease, {Settlement::Verb::release}, &Stats::released);
  }
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override {
    check_store(lease);
    return settle(lease, {Settlement::Verb::reject, {}, reason}, nullptr);
  }

  void close() override {
    backend_->close();
    waiting_.close();
  }
  Control<Bytes>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return backend_->clock(); }

 private:
  // Control.
  void suspend(std::string_view group_id) override { set_suspended(group_id, true); }
  void resume(std::string_view group_id) override { set_suspended(group_id, false); }
  std::uint64_t terminate(std::string_view group_id) override {
    check_group_id(group_id);
    const auto dropped = ask([&] { return backend_->terminate(group_id); });
    totals_.add(&Stats::dropped, dropped);
    return dropped;
  }
  Cancelled cancel(std::string_view group_id, Bytes&& event) override {
    check_group_id(group_id);
    const auto cancelled = ask([&] { return backend_->cancel(group_id, event); });
    if (!cancelled) throw_full();
    totals_.add(&Stats::dropped, cancelled->dropped);
    totals_.add(&Stats::published);
    return *cancelled;
  }
  GroupInfo inspect(std::string_view group_id) override {
    check_group_id(group_id);
    return ask([&] { return backend_->inspect(group_id); });
  }
  std::vector<std::string> groups(const GroupQuery& query) override {
    return ask([&] { return backend_->groups(query); });
  }
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit) override {
    check_group_id(group_id);
    return ask([&] { return backend_->peek(group_id, limit); });
  }
  Stats stats() override {
    Stats stats = ask([&] { return backend_->count(); });
    totals_.put_into(stats);
    return stats;
  }
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after_seq) override {
    return ask([&] { return backend_->dead_letters(limit, after_seq); });
  }
  std::uint64_t redrive(std::uint64_t seq) override {
    const Redriven redriven = ask([&] { return backend_->redrive(seq); });
    if (redriven.outcome == Redriven::Outcome::full) throw_full();
    if (redriven.outcome == Redriven::Outcome::not_found) throw_not_found(seq);
    totals_.add(&Stats::redriven);
    totals_.add(&Stats::published);
    return redriven.seq;
  }
  void drop_dead(std::uint64_t seq) override {
    if (!ask([&] { return backend_->drop_dead(seq); })) throw_not_found(seq);
    totals_.add(&Stats::dropped);
  }

  /// Asks the backend, and lets everyone know what it changed. If that cannot be known, everyone of
  /// this process looks, and the others are told that anything may have happened.
  template <class Call>
  decltype(std::invoke_result_t<Call>::value) ask(Call call) {
    try {
      auto answer = call();
      totals_.add(&Stats::dead_lettered, answer.effect.died);
      waiting_.tell(answer.effect);
      backend_->tell_others(answer.effect);
      return std::move(answer.value);
    } catch (const TransportError& error) {
      if (error.code() == ErrorCode::outcome_unknown) {
        waiting_.on_gap();
        backend_->tell_others({.claimable = std::numeric_limits<std::int32_t>::max(),
                               .room = true,
                               .ends_in = Duration()});
      }
      throw;
    }
  }

  std::optional<std::uint64_t> try_publish(std::string_view group_id, const Bytes& event,
                                           std::int32_t priority) {
    const Message message{group_id, event, priority};
    const auto seqs = ask([&] { return backend_->publish({&message, 1}); });
    if (!seqs) return std::nullopt;
    totals_.add(&Stats::published);
    return seqs->front();
  }
  std::vector<Claimed> claim_some(const ClaimRequest& request) {
    if (request.count == 0) return {};
    return counted(ask([&] { return backend_->claim(request); }));
  }
  std::vector<Claimed> counted(std::vector<Claimed> claimed) {
    totals_.add(&Stats::claims, claimed.size());
    for (const auto& one : claimed) {
      if (one.key.attempt > 1) totals_.add(&Stats::redelivered);
    }
    return claimed;
  }
  std::vector<Settled> acked(std::vector<Settled> settled) {
    for (const Settled one : settled) {
      totals_.add(one == Settled::done ? &Stats::acked : &Stats::stale);
    }
    return settled;
  }
  Settled settle(const Lease<Bytes>& lease, const Settlement& settlement, Totals::Total total) {
    const Settled settled = ask([&] { return backend_->settle(name_of(lease), settlement); });
    if (settled == Settled::stale) {
      totals_.add(&Stats::stale);
    } else if (total != nullptr) {
      totals_.add(total);
    }
    return settled;
  }
  void set_suspended(std::string_view group_id, bool suspended) {
    check_group_id(group_id);
    ask([&] { return backend_->set_suspended(group_id, suspended); });
  }
  void check_store(const Lease<Bytes>& lease) const {
    if (lease.key().store == backend_->store()) return;
    throw std::invalid_argument("the lease of seq " + std::to_string(lease.seq()) +
                                " was given by another store");
  }

  const std::unique_ptr<Backend> backend_;
  Waiting waiting_;
  Totals totals_;
};

}  // namespace

std::unique_ptr<Transport<Bytes>> make_transport(std::unique_ptr<Backend> backend) {
  return std::make_unique<RemoteTransport>(std::move(backend));
}

}  // namespace fairlane::remote
