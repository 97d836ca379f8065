// The state of an in-memory store: one scheduler, one lock, those who wait.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/detail/memory_store.h"
#include "fairlane/detail/thread_annotations.h"
#include "memory/mutex.h"
#include "memory/wait_queue.h"
#include "scheduler/scheduler.h"

namespace fairlane::memory {

/// Threads: any; all state behind `mutex`.
class StoreState {
 public:
  StoreState(const QueueRules& the_rules, std::shared_ptr<Clock> the_clock,
             detail::DestroyNode destroy_node);

  /// Serves the waiters at the clock's present instant.
  void serve_now() FAIRLANE_EXCLUDES(mutex);

  /// What a waiter sees that looks up: whether it was served, has to go (closed, its deadline came,
  /// or `stopped`; it has left then), or has to look again at `next` or when woken.
  struct Look {
    enum class Found { served, over, nothing } found;
    Instant next = Instant::max();
  };
  Look look(const std::shared_ptr<Waiter>& waiter, bool stopped) FAIRLANE_EXCLUDES(mutex);

  /// Takes a waiter out; false if it was served before.
  bool withdraw(Waiter& waiter) FAIRLANE_EXCLUDES(mutex);

  /// Sleeps until the waiter was served, its deadline came, `stop` was requested or the transport
  /// closed; true if it was served. It has been enrolled; it has left when this returns or throws.
  bool wait(const std::shared_ptr<Waiter>& waiter, Instant sleep_until, const std::stop_token& stop)
      FAIRLANE_EXCLUDES(mutex);

  const std::shared_ptr<Clock> clock;
  const detail::DestroyNode destroy;
  const QueueRules rules;
  const std::uint64_t store;  // The identity that leases carry.
  const bool ack_needs_now;
  const bool publish_needs_now;

  Mutex mutex;
  scheduler::Scheduler scheduler FAIRLANE_GUARDED_BY(mutex);
  WaitQueue waiters FAIRLANE_GUARDED_BY(mutex);
  bool closed FAIRLANE_GUARDED_BY(mutex) = false;
};

/// One critical section: locks and moves the scheduler on to `now`; at its end serves those who
/// wait, unlocks, and only then wakes them. Without a `now` (for a call whose answer does not
/// depend on it) the clock is read only if somebody who waits could be served.
class FAIRLANE_SCOPED_CAPABILITY Section {
 public:
  explicit Section(StoreState& state)
      FAIRLANE_ACQUIRE(state.mutex) FAIRLANE_NO_THREAD_SAFETY_ANALYSIS : state_(state),
                                                                         has_now_(false) {
    state_.mutex.lock();
  }
  Section(StoreState& state, Instant now)
      FAIRLANE_ACQUIRE(state.mutex) FAIRLANE_NO_THREAD_SAFETY_ANALYSIS : state_(state),
                                                                         has_now_(true) {
    state_.mutex.lock();
    state_.scheduler.advance(now);
  }
  ~Section() FAIRLANE_RELEASE() FAIRLANE_NO_THREAD_SAFETY_ANALYSIS {
    if (state_.waiters.empty()) {
      state_.mutex.unlock();
    } else {
      serve_and_unlock();
    }
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  void serve_and_unlock() noexcept FAIRLANE_NO_THREAD_SAFETY_ANALYSIS;

  StoreState& state_;
  const bool has_now_;
};

/// Events that left the store; destroyed when no lock is held, so declare it before the Section.
class Removed {
 public:
  explicit Removed(const StoreState& state) noexcept : destroy_(state.destroy) {}
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;
  ~Removed() {
    if (node != nullptr) drop(node, 1);
    for (auto* const each : nodes) drop(each, 1);
    for (auto* at = chain.head; at != nullptr;) {
      auto* const each = std::exchange(at, at->next);
      drop(each, each->lent != 0 ? 1 : 2);  // As NodePublication says.
    }
  }

  detail::MessageNode* node = nullptr;
  std::vector<detail::MessageNode*> nodes;
  scheduler::CutOff chain;

 private:
  void drop(detail::MessageNode* each, std::uint32_t owners) const noexcept {
    if (owners == 1 ? each->release() : each->release(owners)) destroy_(each);
  }

  detail::DestroyNode destroy_;
};

}  // namespace fairlane::memory
