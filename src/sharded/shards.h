// All shards of a queue: which keeps what, and claims that go round them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sharded/shard.h"

namespace fairlane::sharded {

/// What a claim asks for.
struct Wish {
  std::string_view worker_id;
  Duration visibility;
  std::int32_t min_priority;

  friend bool operator==(const Wish&, const Wish&) = default;
};

/// In order of their numbers. Threads: any.
class Shards {
 public:
  Shards(std::vector<std::unique_ptr<Shard>> shards, Duration retry_interval);

  std::size_t size() const noexcept { return shards_.size(); }
  const std::vector<std::unique_ptr<Shard>>& all() const noexcept { return shards_; }
  const std::shared_ptr<Clock>& clock() const { return shards_.front()->clock(); }

  /// The one that keeps the group.
  Shard& of(std::string_view group_id) const;
  /// The one with this number, or null.
  Shard* find(std::uint64_t number) const noexcept;

  /// A claim from this shard alone; it notes how the shard is.
  /// Errors: the shard's; `incompatible` for a message whose group belongs elsewhere, which is
  /// handed back.
  std::optional<Lease<Bytes>> claim_at(Shard& shard, const Wish& wish);
  std::vector<Lease<Bytes>> claim_batch_at(Shard& shard, std::size_t n, const Wish& wish);
  std::optional<Lease<Bytes>> claim_wait_at(Shard& shard, const Wish& wish, Duration timeout,
                                            std::stop_token stop);
  AckedAndClaimed<Bytes> ack_claim_at(Shard& shard, const Lease<Bytes>& lease, const Wish& wish);

  /// Asks the shards one after the other, beginning behind the one that gave the last lease, until
  /// there are `n` leases. Shards that failed lately are asked only if no other answers.
  /// Errors: the first one if all failed; `incompatible` at once. Not if there are leases.
  std::vector<Lease<Bytes>> claim_round(std::size_t n, const Wish& wish);
  std::optional<Lease<Bytes>> claim_round(const Wish& wish);
  /// The next round begins behind this one.
  void begin_behind(const Shard& shard) noexcept;

  /// Hands back a lease that nobody is there to take. If that fails it runs out by itself.
  void give_back(const Lease<Bytes>& lease) noexcept;

  /// Takes a note of a failure, and leaves the shard alone for a while.
  void note_failure(Shard& shard);
  bool all_fail() const noexcept;

 private:
  struct Round {
    std::vector<Lease<Bytes>> leases = {};
    bool answered = false;  ///< at least one shard did
    std::exception_ptr failure = nullptr;
  };

  std::optional<Lease<Bytes>> outward(Shard& shard, const std::optional<Lease<Bytes>>& lease);
  std::vector<Lease<Bytes>> outward(Shard& shard, const std::vector<Lease<Bytes>>& leases);
  template <class Call>
  auto ask(Shard& shard, Call&& call);
  bool is_left_alone(const Shard& shard) const;
  /// True if the round has all it wants.
  bool take_from(Shard& shard, std::size_t n, const Wish& wish, Round& round);

  const std::vector<std::unique_ptr<Shard>> shards_;
  const std::vector<std::uint32_t> numbers_;
  const Duration retry_interval_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace fairlane::sharded
