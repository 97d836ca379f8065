// A clock that moves only when a test says so.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include "fairlane/clock.h"

namespace fairlane::testing {

/// Stands still until advanced, and then wakes exactly those whose deadline it reached.
///
/// Give it to a transport (`.clock = clock`), and nothing in your test has to sleep to let time
/// pass: a waiting thread is awaited with `wait_for_sleepers`, then the clock is advanced.
///
/// Threads: all members from any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = Instant{}) : now_(start) {}

  Instant now() const override;
  void sleep(Wakeup& wakeup, Instant deadline) override;
  bool is_moved_by_hand() const noexcept override { return true; }

  /// Moves on by `by` (saturating) and wakes who waits for an instant up to the new one.
  /// A negative `by` steps back, as a broken host's clock may; that wakes nobody.
  void advance(Duration by);
  void set(Instant instant);

  /// How many threads sleep on this clock now.
  std::size_t sleepers() const;
  /// Returns as soon as at least `count` threads sleep on this clock.
  void wait_for_sleepers(std::size_t count) const;

 private:
  struct Sleeper {
    Wakeup* wakeup;
    Instant deadline;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Instant now_;
  std::list<Sleeper> sleepers_;
};

}  // namespace fairlane::testing
