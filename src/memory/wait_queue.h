// Those who wait, and who of them keeps the time. No threads and no locks: decisions only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/detail/nodes.h"
#include "scheduler/scheduler.h"

namespace fairlane::memory {

/// Somebody who waits to claim or to publish: a thread, or a `PendingClaim`. What it waits for is
/// done on its behalf by the call that makes it possible, under that call's lock; it wakes up to a
/// finished result.
struct Waiter {
  // What it wants: a claim, or, if set, a publish.
  std::string worker_id = {};
  Duration visibility = {};
  std::int32_t min_priority = 0;
  const detail::NodePublication* publication = nullptr;
  Instant deadline = Instant::max();

  // What it got; set once, before `served`.
  std::optional<detail::Grant> grant = std::nullopt;
  std::uint64_t seq = 0;
  std::atomic<bool> served = false;

  // How it is woken: a thread by the wakeup, and who has none by a call.
  Wakeup wakeup;
  std::function<void()> notify = nullptr;

  bool has_thread() const noexcept { return !notify; }
  void wake() noexcept;

  // Kept by the queue.
  std::uint64_t arrival = 0;
  std::shared_ptr<Waiter> next_served = nullptr;
};

/// The waiters that a call has to wake once it has let go of the lock.
class Wakes {
 public:
  Wakes() = default;
  Wakes(const Wakes&) = delete;
  Wakes& operator=(const Wakes&) = delete;

  /// Once in the life of a waiter.
  void add_served(std::shared_ptr<Waiter> waiter) noexcept;
  void set_timekeeper(std::shared_ptr<Waiter> waiter) noexcept { timekeeper_ = std::move(waiter); }
  void raise_all() noexcept;

 private:
  std::shared_ptr<Waiter> served_;
  std::shared_ptr<Waiter> timekeeper_;
};

/// All waiters of a store.
///
/// Invariant after each call of `serve`: no claim or publish that somebody waits for is possible.
/// So nobody sleeps through anything, and nobody is woken for nothing.
///
/// Leases and parks run out without any call. One waiter, the *timekeeper*, sleeps until the first
/// of them that matters to anybody here; the others sleep until served. It is served last, so that
/// its duty seldom has to be handed on. A thread takes the duty before who has none: an event loop
/// may be busy with other things.
///
/// Threads: guarded by the owner.
class WaitQueue {
 public:
  bool empty() const noexcept { return waiters_.empty(); }

  /// Strong guarantee.
  void enroll(const std::shared_ptr<Waiter>& waiter);
  void leave(Waiter& waiter) noexcept;

  /// Does for the waiters all that can be done at the scheduler's instant, and sees to it that
  /// somebody keeps the time.
  void serve(scheduler::Scheduler& scheduler, Wakes& wakes) noexcept;

  /// Whether `serve` would do anything for anybody. May err on the side of yes.
  bool could_serve(const scheduler::Scheduler& scheduler) const noexcept;

  /// Until when a waiter that goes to sleep now has to sleep. It becomes the timekeeper if there is
  /// none.
  Instant plan_sleep(Waiter& waiter, const scheduler::Scheduler& scheduler) noexcept;

  std::vector<std::shared_ptr<Waiter>> all() const;

 private:
  using Arrivals = std::map<std::uint64_t, std::shared_ptr<Waiter>>;

  Waiter* first_claimer(std::int32_t highest_claimable) const noexcept;
  bool serve_claimer(scheduler::Scheduler& scheduler, Wakes& wakes);
  void serve_publishers(scheduler::Scheduler& scheduler, Wakes& wakes);
  void finish(Waiter& waiter, Wakes& wakes) noexcept;
  void keep_time(const scheduler::Scheduler& scheduler, Wakes& wakes) noexcept;
  Instant next_alarm(const scheduler::Scheduler& scheduler) const noexcept;
  Waiter* best_timekeeper() const noexcept;

  std::uint64_t arrivals_ = 0;
  Arrivals waiters_;
  Arrivals publishers_;
  std::map<std::int32_t, Arrivals> claimers_;  // By floor, the lowest first.
  Waiter* timekeeper_ = nullptr;
  Instant alarm_ = Instant::max();  // What the timekeeper sleeps for beside its own deadline.
};

}  // namespace fairlane::memory
