#include "fairlane/testing/manual_clock.h"

namespace fairlane::testing {

Instant ManualClock::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualClock::sleep(Wakeup& wakeup, Instant deadline) {
  std::list<Sleeper>::iterator self;
  {
    const std::lock_guard lock(mutex_);
    if (now_ >= deadline) return;
    self = sleepers_.insert(sleepers_.end(), Sleeper{&wakeup, deadline});
  }
  changed_.notify_all();
  wakeup.wait();
  const std::lock_guard lock(mutex_);
  sleepers_.erase(self);
}

void ManualClock::advance(Duration by) {
  const std::lock_guard lock(mutex_);
  now_ = saturating_add(now_, by);
  for (const auto& sleeper : sleepers_) {
    if (sleeper.deadline <= now_) sleeper.wakeup->raise();
  }
}

void ManualClock::set(Instant instant) {
  const std::lock_guard lock(mutex_);
  now_ = instant;
  for (const auto& sleeper : sleepers_) {
    if (sleeper.deadline <= now_) sleeper.wakeup->raise();
  }
}

std::size_t ManualClock::sleepers() const {
  const std::lock_guard lock(mutex_);
  return sleepers_.size();
}

void ManualClock::wait_for_sleepers(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sleepers_.size() >= count; });
}

}  // namespace fairlane::testing
