// Time as a transport sees it: an instant, a clock that can be injected, and what a thread sleeps
// on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>

#include "fairlane/duration.h"

namespace fairlane {

class Clock;

/// A point on a transport's clock, in nanoseconds since that clock's own beginning.
using Instant = std::chrono::time_point<Clock, std::chrono::nanoseconds>;

/// `instant + duration`, at most `Instant::max()` (never reached: in flight for ever).
constexpr Instant saturating_add(Instant instant, Duration duration) noexcept {
  const auto at = instant.time_since_epoch().count();
  const auto by = duration.value().count();
  if (by > 0 && at > std::numeric_limits<std::int64_t>::max() - by) return Instant::max();
  if (by < 0 && at < std::numeric_limits<std::int64_t>::min() - by) return Instant::min();
  return Instant(std::chrono::nanoseconds(at + by));
}

/// What one thread sleeps on until another wakes it.
///
/// A raise that comes before the wait is not lost: it ends the next wait at once.
/// Threads: `raise` from any thread; `wait` and `wait_until` from one thread at a time.
class Wakeup {
 public:
  void raise();

  /// Sleeps until raised, and takes the raise.
  void wait();

  /// Sleeps until raised or until `deadline`; true if raised, and takes the raise.
  bool wait_until(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool raised_ = false;
};

/// The one source of time of a transport, and the owner of all waiting for it.
///
/// Implement `now` alone for a clock that runs by itself; override `sleep` too for one that
/// tests move by hand (`fairlane::testing::ManualClock`).
///
/// Threads: all members from any thread.
/// Time: `now` may step back; a transport never does (it keeps the latest instant it used).
/// Reentrancy: called with no lock of Fairlane's held, so an implementation may lock or call
/// Python.
class Clock {
 public:
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  virtual Instant now() const = 0;

  /// An instant that is not later than now and at most a few milliseconds earlier, if that is
  /// cheaper to have: for stamps that only people read, never for deadlines.
  virtual Instant recent() const { return now(); }

  /// Sleeps until `wakeup` is raised or this clock has reached `deadline`; may return earlier, so
  /// callers look again. `Instant::max()` is no deadline. The default sleeps as if this clock ran
  /// at the pace of real time.
  virtual void sleep(Wakeup& wakeup, Instant deadline);

  /// Whether a test moves it. A transport whose time is a server's takes no other clock: what a
  /// host thinks the time is must not get into a store that many hosts share.
  virtual bool is_moved_by_hand() const noexcept { return false; }

 protected:
  Clock() = default;
};

/// The default: the system's monotonic clock, which a stepped wall clock does not move.
/// All callers share one object, which is never destroyed before they let go of it.
std::shared_ptr<Clock> monotonic_clock();

}  // namespace fairlane
