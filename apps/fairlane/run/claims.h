// Which events a worker claims next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fairlane/transport.h"
#include "run/options.h"
#include "run/run_state.h"

namespace fairlane::run {

/// Claims for one worker, of groups at or above the floor `min_priority`. (A run's is the lowest
/// there is, or it would not end.) The
/// share `high_ratio` of the claims looks at the high ones first.
/// Threads: one at a time.
class Claims {
 public:
  Claims(const RunOptions& options, Transport<Bytes>& transport, RunState& state,
         std::string worker)
      : options_(options), transport_(transport), state_(state), worker_(std::move(worker)) {}

  const std::string& worker() const noexcept { return worker_; }

  /// Waits for an event; nothing once the run ends.
  std::optional<Lease<Bytes>> wait() {
    // A stopped claim still takes what is ready, so who hands it back would get it again for ever.
    if (state_.ending()) return std::nullopt;
    std::optional<Lease<Bytes>> lease;
    if (high_turn()) {
      lease = transport_.claim(worker_, options_.visibility, options_.priority_threshold);
    }
    if (!lease) {
      lease = transport_.claim_wait(worker_, options_.visibility, options_.min_priority,
                                    Duration::max(), state_.stop_token());
    }
    if (lease) note(*lease);
    return lease;
  }

  /// What can be claimed now, at most `n`, of different groups.
  std::vector<Lease<Bytes>> take(std::size_t n) {
    std::vector<Lease<Bytes>> leases;
    if (options_.high_ratio > 0) {
      while (leases.size() < n && high_turn()) {
        auto lease = transport_.claim(worker_, options_.visibility, options_.priority_threshold);
        if (!lease) break;
        leases.push_back(*std::move(lease));
      }
    }
    const auto all =
        options_.high_ratio > 0 ? std::min<std::size_t>(1, n - leases.size()) : n - leases.size();
    auto rest = transport_.claim_batch(all, worker_, options_.visibility, options_.min_priority);
    leases.insert(leases.end(), rest.begin(), rest.end());
    for (const auto& lease : leases) note(lease);
    return leases;
  }

 private:
  bool high_turn() {
    share_ += options_.high_ratio;
    if (share_ < 1) return false;
    share_ -= 1;
    return true;
  }
  void note(const Lease<Bytes>& lease) {
    ++state_.counters.in_hand;
    // Only who published knows when that was.
    if (options_.reads && lease.attempt() == 1)
      state_.claimed(lease.seq(), std::chrono::steady_clock::now());
  }

  const RunOptions& options_;
  Transport<Bytes>& transport_;
  RunState& state_;
  const std::string worker_;
  double share_ = 0;
};

}  // namespace fairlane::run
