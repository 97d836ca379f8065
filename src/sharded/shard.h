// One shard: its transport, and what its leases and errors look like from outside.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "fairlane/error.h"
#include "fairlane/transport.h"

namespace fairlane::sharded {

inline constexpr std::uint32_t max_number = 999;
/// How many seqs a shard may give; those of one shard stand behind those of the one before.
inline constexpr std::uint64_t seqs_of_a_shard = 1'000'000'000'000'000;

/// Threads: any.
class Shard {
 public:
  Shard(std::uint32_t number, std::unique_ptr<Transport<Bytes>> transport) noexcept
      : number_(number), transport_(std::move(transport)) {}

  std::uint32_t number() const noexcept { return number_; }
  const std::shared_ptr<Clock>& clock() const { return transport_->clock(); }

  /// Does `call(transport)`; an error of the environment then names the shard.
  template <class Call>
  auto ask(Call&& call) {
    try {
      return call(*transport_);
    } catch (const TransportError& error) {
      throw TransportError(error.code(), "shard " + std::to_string(number_) + ": " + error.what(),
                           error.may_be_stored());
    }
  }
  template <class Call>
  auto control(Call&& call) {
    return ask([&](Transport<Bytes>& transport) { return call(transport.control()); });
  }

  /// A seq as callers see it.
  std::uint64_t outward(std::uint64_t seq) const;
  /// A lease as callers see it. Its store is another than the shard's own, so that a lease of the
  /// one is refused by the other.
  Lease<Bytes> outward(const Lease<Bytes>& lease);
  /// The shard's own lease. Errors: `std::invalid_argument` if it never gave one like it.
  Lease<Bytes> inward(const Lease<Bytes>& lease) const;
  /// Whether it is known what store stands behind the shard: then `inward` refuses any other.
  bool knows_its_store() const noexcept { return store_.load(std::memory_order_relaxed) != 0; }

  // Its health, as claims see it.
  void failed(Instant retry_at) noexcept {
    retry_at_ns_.store(retry_at.time_since_epoch().count(), std::memory_order_relaxed);
    failing_.store(true, std::memory_order_release);
  }
  void answered() noexcept {
    if (is_failing()) failing_.store(false, std::memory_order_release);
  }
  bool is_failing() const noexcept { return failing_.load(std::memory_order_acquire); }
  /// When to ask a failing one again.
  Instant retry_at() const noexcept {
    return Instant(std::chrono::nanoseconds(retry_at_ns_.load(std::memory_order_relaxed)));
  }

  /// Counts claims that stayed with this shard; true if it is time to go on to the next.
  bool stayed_long_enough() noexcept {
    if (stays_.fetch_add(1, std::memory_order_relaxed) + 1 < max_stays) return false;
    stays_.store(0, std::memory_order_relaxed);
    return true;
  }
  static constexpr std::uint32_t max_stays = 16;

 private:
  const std::uint32_t number_;
  const std::unique_ptr<Transport<Bytes>> transport_;
  std::atomic<std::uint64_t> store_{0};  // Learned from the first lease.
  std::atomic<std::int64_t> retry_at_ns_{0};
  std::atomic<bool> failing_{false};
  std::atomic<std::uint32_t> stays_{0};
};

}  // namespace fairlane::sharded
