// Those of this process who wait for a durable queue. No threads and no locks: decisions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

#include "fairlane/clock.h"

namespace fairlane::common {

/// One thread that waits to claim or to publish. It tries again itself when it is woken.
struct Waiter {
  bool publishes = false;
  std::int32_t min_priority = 0;
  Wakeup wakeup = {};
  bool called = false;  ///< woken to try, and has not done so yet
};

/// In order of arrival. The first is the *watcher*: it sleeps until the next lease or park ends,
/// and looks for what other processes did; the others sleep until they are called.
///
/// Threads: guarded by the owner.
class WaitLine {
 public:
  using Place = std::list<Waiter*>::iterator;

  bool empty() const noexcept { return waiters_.empty(); }
  std::size_t size() const noexcept { return waiters_.size(); }
  Place join(Waiter& waiter) { return waiters_.insert(waiters_.end(), &waiter); }

  /// The next one becomes the watcher if this one was.
  void leave(Place place) {
    const bool watched = place == waiters_.begin();
    waiters_.erase(place);
    if (watched) wake_watcher();
  }

  bool is_watcher(const Waiter& waiter) const noexcept {
    return !waiters_.empty() && waiters_.front() == &waiter;
  }
  /// The lowest floor of those who wait to claim.
  std::optional<std::int32_t> lowest_floor() const noexcept {
    std::optional<std::int32_t> lowest;
    for (const Waiter* const waiter : waiters_) {
      if (!waiter->publishes && (!lowest || waiter->min_priority < *lowest)) {
        lowest = waiter->min_priority;
      }
    }
    return lowest;
  }
  bool has_publisher() const noexcept {
    for (const Waiter* const waiter : waiters_) {
      if (waiter->publishes) return true;
    }
    return false;
  }
  void wake_watcher() {
    if (!waiters_.empty()) waiters_.front()->wakeup.raise();
  }

  /// Calls the first that could claim a group of this priority and was not called already.
  void call_claimer(std::int32_t priority) {
    for (Waiter* const waiter : waiters_) {
      if (waiter->publishes || waiter->min_priority > priority) continue;
      if (!waiter->called) call(*waiter);
      return;
    }
  }
  /// Calls all who wait for room: how much each needs, and in which group, only it knows.
  void call_publishers() {
    for (Waiter* const waiter : waiters_) {
      if (waiter->publishes) call(*waiter);
    }
  }
  void call_all() {
    for (Waiter* const waiter : waiters_) call(*waiter);
  }

 private:
  static void call(Waiter& waiter) {
    waiter.called = true;
    waiter.wakeup.raise();
  }

  std::list<Waiter*> waiters_;
};

}  // namespace fairlane::common
