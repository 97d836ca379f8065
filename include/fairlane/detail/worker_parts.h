// The parts of a worker that know no event. Not for direct use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>

#include "fairlane/clock.h"
#include "fairlane/detail/thread_annotations.h"

namespace fairlane {
struct WorkerOptions;
}

namespace fairlane::detail {

/// Raises `std::invalid_argument` for options out of range.
void check_worker_options(const WorkerOptions& options);

/// What the exception in hand says of itself.
std::string describe(const std::exception_ptr& error);

/// Between two heartbeats; `Duration::max()`: none.
Duration heartbeat_interval(Duration visibility) noexcept;

/// `std::mutex`, known to clang's analysis.
class FAIRLANE_CAPABILITY("mutex") SeatMutex {
 public:
  void lock() FAIRLANE_ACQUIRE() { mutex_.lock(); }
  void unlock() FAIRLANE_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class FAIRLANE_SCOPED_CAPABILITY SeatLock {
 public:
  explicit SeatLock(SeatMutex& mutex) FAIRLANE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~SeatLock() FAIRLANE_RELEASE() { mutex_.unlock(); }
  SeatLock(const SeatLock&) = delete;
  SeatLock& operator=(const SeatLock&) = delete;

 private:
  SeatMutex& mutex_;
};

/// Which claims look at the high groups first: a share of all, evenly spread, without chance.
/// Threads: one.
class ClaimMix {
 public:
  explicit ClaimMix(double high_ratio) noexcept : high_ratio_(high_ratio) {}
  /// How many of the next `n` claims do.
  std::size_t take(std::size_t n) noexcept;

 private:
  double high_ratio_;
  std::uint64_t claims_ = 0;
};

/// How many messages a thread claims at once: more as long as whole batches are quick, so that a
/// lock is shared by many, and one again as soon as they are not. Threads: one.
class Pace {
 public:
  explicit Pace(std::size_t most) noexcept : most_(most) {}
  std::size_t size() const noexcept { return size_; }
  bool measures() const noexcept { return most_ > 1; }
  /// A batch of `size()` messages, or fewer, was handled in `elapsed` of real time.
  void took(Duration elapsed) noexcept;
  /// A batch was taken from its thread, which sat on it for too long.
  void interrupted() noexcept { size_ = 1; }

 private:
  std::size_t most_;
  std::size_t size_ = 1;
};

/// How far a thread is in its batch, shared with those who may take the rest away from it: one
/// counter of messages begun, and a mark that ends it.
/// Threads: `advance` from the batch's thread; the others from any.
class Cursor {
 public:
  static constexpr std::uint32_t revoked_mark = 1U << 31U;

  struct Place {
    std::size_t begun;  ///< messages; one more than there are: the last one is finished too
    bool revoked;
  };

  void reset() noexcept { word_.store(0, std::memory_order_release); }
  /// Finishes the message in hand and begins the next; answers the place before.
  Place advance() noexcept { return place(word_.fetch_add(1, std::memory_order_acq_rel)); }
  /// From now on nothing more is begun. Answers the place before.
  Place revoke() noexcept { return place(word_.fetch_or(revoked_mark, std::memory_order_acq_rel)); }
  Place look() const noexcept { return place(word_.load(std::memory_order_acquire)); }

 private:
  static Place place(std::uint32_t word) noexcept {
    return {word & ~revoked_mark, (word & revoked_mark) != 0};
  }

  std::atomic<std::uint32_t> word_{0};
};

/// What a supervising thread sleeps on, and whether it has to be told of new work: it announces
/// that it looks around, looks, and sleeps without a deadline only if it saw nothing. Who gives it
/// something to see afterwards finds the announcement.
class Alarm {
 public:
  /// Before looking around.
  void announce() noexcept { unaware_.store(true, std::memory_order_seq_cst); }
  /// It saw work and will look again by itself.
  void aware() noexcept { unaware_.store(false, std::memory_order_seq_cst); }
  /// After making work visible. Costs the read of a line that seldom changes.
  void notice() {
    if (unaware_.load(std::memory_order_seq_cst)) raise();
  }
  void raise() {
    aware();
    wakeup_.raise();
  }
  Wakeup& wakeup() noexcept { return wakeup_; }

 private:
  std::atomic<bool> unaware_{false};
  Wakeup wakeup_;
};

/// Waits on `clock` for `delay`, a millisecond at the least so that a failing transport is not
/// hammered, or until `stop`.
void pause(Clock& clock, Duration delay, const std::stop_token& stop);

}  // namespace fairlane::detail
