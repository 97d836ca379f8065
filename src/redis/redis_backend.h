// A queue on a Redis server.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/redis_transport.h"
#include "redis/answers.h"
#include "redis/server.h"
#include "redis/subscriber.h"
#include "remote/backend.h"
#include "remote/server_clock.h"

namespace fairlane::redis {

/// The name of the queue's record, which begins the names of all its keys: what stands in braces
/// decides the slot of a cluster, so they all lie in one. "}" and "%" of the queue's name are
/// written as a URL writes them.
std::string record_key(std::string_view queue_name);

class RedisBackend final : public remote::Backend {
 public:
  explicit RedisBackend(const RedisOptions& options);
  ~RedisBackend() override { RedisBackend::close(); }

  std::uint64_t store() const noexcept override { return store_; }
  const std::shared_ptr<Clock>& clock() const noexcept override { return clock_; }

  remote::Answer<std::optional<std::vector<std::uint64_t>>> publish(
      std::span<const remote::Message> messages) override;
  remote::Answer<std::vector<remote::Claimed>> claim(const remote::ClaimRequest& request) override;
  remote::Answer<remote::AckedAndClaimed> ack(std::span<const remote::LeaseName> leases,
                                              const remote::ClaimRequest* then_claim) override;
  remote::Answer<Settled> settle(const remote::LeaseName& lease,
                                 const remote::Settlement& settlement) override;

  // The control plane (backend_control.cc).
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
  /// The scripts tell by themselves.
  void tell_others(const remote::Effect& /*effect*/) noexcept override {}
  void close() override;

 private:
  using Kind = Channel::Kind;
  struct Outcome {
    Reply reply;
    remote::Effect effect;
    bool full = false;

    Value answer() const { return Value(reply.get()); }
    Value operator[](std::size_t place) const { return answer()[place]; }
  };

  void open(const RedisOptions& options);
  void refuse_eviction();
  Command begin(Script script) const;
  Outcome run(Script script, const Command& command, Kind kind = Kind::changes);
  static void add_claim(Command& command, const remote::ClaimRequest& request, std::uint64_t fence);
  std::vector<remote::Claimed> claimed_in(const ClaimAnswer& answer,
                                          const remote::ClaimRequest& request, std::uint64_t fence,
                                          remote::Effect& effect) const;
  std::uint64_t next_fence() noexcept;
  std::optional<std::int64_t> oldest();

  const std::string key_;
  const std::string sender_;  // Of this object's words.
  Server server_;
  Subscriber subscriber_;
  const std::shared_ptr<remote::ServerClock> server_clock_;
  const std::shared_ptr<Clock> clock_;
  const bool by_hand_;  // The clock is a test's.
  std::uint64_t store_ = 0;
  const std::uint64_t first_fence_;
  std::atomic<std::uint64_t> fences_{0};
};

}  // namespace fairlane::redis
