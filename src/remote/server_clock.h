// A server's clock, as this process sees it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fairlane/clock.h"

namespace fairlane::remote {

/// Runs with the host's monotonic clock, set by what the server said last. Only waiting goes by it:
/// what is leased and until when the server alone decides.
///
/// Threads: any.
class ServerClock final : public Clock {
 public:
  /// `server_now`: read by the server just now.
  void set(Instant server_now) noexcept {
    ahead_.store(server_now.time_since_epoch().count() - steady(), std::memory_order_relaxed);
  }
  Instant now() const override {
    return Instant(std::chrono::nanoseconds(steady() + ahead_.load(std::memory_order_relaxed)));
  }

 private:
  static std::int64_t steady() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::atomic<std::int64_t> ahead_{0};
};

}  // namespace fairlane::remote
