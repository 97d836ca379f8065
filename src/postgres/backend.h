// A queue on a server of PostgreSQL's: one statement, and so one transaction, for each call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fairlane/postgres_transport.h"
#include "postgres/connection.h"
#include "postgres/messenger.h"
#include "postgres/schema.h"
#include "remote/backend.h"
#include "remote/pool.h"
#include "remote/server_clock.h"

namespace fairlane::postgres {

class PostgresBackend final : public remote::Backend {
 public:
  explicit PostgresBackend(const PostgresOptions& options);

  std::uint64_t store() const noexcept override { return queue_.store; }
  const std::shared_ptr<Clock>& clock() const noexcept override { return clock_; }

  // The verbs (backend.cc).
  remote::Answer<std::optional<std::vector<std::uint64_t>>> publish(
      std::span<const remote::Message> messages) override;
  remote::Answer<std::vector<remote::Claimed>> claim(const remote::ClaimRequest& request) override;
  remote::Answer<remote::AckedAndClaimed> ack(std::span<const remote::LeaseName> leases,
                                              const remote::ClaimRequest* then_claim) override;
  remote::Answer<Settled> settle(const remote::LeaseName& lease,
                                 const remote::Settlement& settlement) override;

  // The control plane, and waiting (backend_control.cc).
  remote::Answer<bool> set_suspended(std::string_view group_id, bool suspended) override;
  remote::Answer<std::uint64_t> terminate(std::string_view group_id) override;
  remote::Answer<std::optional<Cancelled>> cancel(std::string_view group_id,
                                                  std::string_view event) override;
  remote::Answer<GroupInfo> inspect(std::string_view group_id) override;
  remote::Answer<std::vector<std::string>> groups(const GroupQuery& query) override;
  remote::Answer<std::vector<QueuedMessage<Bytes>>> peek(std::string_view group_id,
                                                         std::size_t limit) override;
  remote::Answer<Stats> count() override;
  remote::Answer<std::vector<DeadLetter<Bytes>>> dead_letters(std::size_t limit,
                                                              std::uint64_t after_seq) override;
  remote::Answer<remote::Redriven> redrive(std::uint64_t seq) override;
  remote::Answer<bool> drop_dead(std::uint64_t seq) override;

  remote::Look look(remote::Listener& listener, const remote::Wishes& wishes) override;
  void tell_others(const remote::Effect& effect) noexcept override { messenger_->tell(effect); }
  void close() override;

 private:
  /// How a call ended, as the functions answer (sql/publish.sql).
  enum class Status { done, again, full, too_large };
  struct Called {
    Result row;
    Status status;
    remote::Effect effect;
  };

  /// Makes the call, again if the server undid it or something had run out, until it is done.
  Called call(const Statement& statement, const Parameters& parameters);
  Result ask(const Statement& statement, const Parameters& parameters);
  /// The instant for the server: none, unless a test has a clock of its own.
  std::optional<std::int64_t> now() const;
  void set_clock(std::int64_t server_now);
  Called work(std::span<const remote::LeaseName> leases, const remote::ClaimRequest& request);
  std::vector<remote::Claimed> claimed(Called& called, const remote::ClaimRequest& request) const;

  const Target target_;
  const std::shared_ptr<remote::ServerClock> server_clock_;  // Null: a test's.
  const std::shared_ptr<Clock> clock_;
  remote::Pool<Connection> pool_;
  QueueRecord queue_;
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace fairlane::postgres
