// The transport over all shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "sharded/control.h"
#include "sharded/shards.h"
#include "sharded/watch.h"

namespace fairlane::sharded {

class ShardedTransport final : public Transport<Bytes> {
 public:
  ShardedTransport(std::vector<std::unique_ptr<Shard>> shards, Duration retry_interval,
                   bool split_batches)
      : split_batches_(split_batches), shards_(std::move(shards), retry_interval) {}

  using Transport<Bytes>::publish;

  std::uint64_t publish(std::string_view group_id, Bytes&& event, std::int32_t priority) override;
  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override;
  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override;

  std::optional<Lease<Bytes>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority) override;
  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility, std::int32_t min_priority) override;
  std::optional<Lease<Bytes>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority, Duration timeout,
                                         std::stop_token stop) override;

  Settled ack(const Lease<Bytes>& lease) override;
  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override;
  AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority) override;
  Settled nack(const Lease<Bytes>& lease, Duration delay) override;
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override;
  Settled release(const Lease<Bytes>& lease) override;
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override;

  void close() override;
  Control<Bytes>& control() override { return control_; }
  const std::shared_ptr<Clock>& clock() const override { return shards_.clock(); }

 private:
  /// What of a batch of acks goes to one shard, and where its answers belong.
  struct Part {
    Shard* shard;
    std::vector<Lease<Bytes>> leases = {};
    std::vector<std::size_t> places = {};
  };

  std::vector<std::uint64_t> publish_split(std::span<Publication<Bytes>> messages);
  static void publish_part(Shard& shard, std::span<Publication<Bytes>> messages,
                           const std::vector<std::size_t>& places,
                           std::vector<std::uint64_t>& seqs);
  std::vector<Part> parts_of(std::span<const Lease<Bytes>> leases) const;

  /// The shard of a lease, and the lease as that shard gave it.
  std::pair<Shard&, Lease<Bytes>> own(const Lease<Bytes>& lease) const;
  template <class Verb>
  Settled settle(const Lease<Bytes>& lease, Verb verb) {
    const auto [shard, mine] = own(lease);
    return shard.ask(
        [&, &mine = mine](Transport<Bytes>& transport) { return verb(transport, mine); });
  }

  const bool split_batches_;
  Shards shards_;
  ShardedControl control_{shards_};
  Watch watch_{shards_};
};

}  // namespace fairlane::sharded
