// When to try again to reach a server that is away.
#pragma once

#include <algorithm>
#include <chrono>

namespace fairlane::remote {

/// The pause after each failed try is twice the last one's.
///
/// Threads: as a plain value; whose it is has the lock.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;
  // The first pause is shorter than a restart of a server takes, the last short enough that nobody
  // waits long for one that is back.
  static constexpr std::chrono::milliseconds first_pause{10};
  static constexpr std::chrono::milliseconds longest_pause{1000};

  explicit Backoff(std::chrono::milliseconds longest = longest_pause) noexcept
      : longest_(longest) {}

  /// Before this instant nobody tries.
  Clock::time_point next_try() const noexcept { return next_try_; }
  bool is_pausing() const noexcept { return Clock::now() < next_try_; }

  void failed() noexcept {
    next_try_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, longest_);
  }
  void succeeded() noexcept {
    pause_ = first_pause;
    next_try_ = {};
  }

 private:
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds pause_ = first_pause;
  Clock::time_point next_try_{};
};

}  // namespace fairlane::remote
