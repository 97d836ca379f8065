// The only file that names a system clock.
#include "fairlane/clock.h"

#include <time.h>

namespace fairlane {

namespace {

using Steady = std::chrono::steady_clock;

Steady::time_point steady_in(std::chrono::nanoseconds span) {
  const auto now = Steady::now();
  const auto room = Steady::time_point::max() - now;
  return span < room ? now + std::chrono::duration_cast<Steady::duration>(span)
                     : Steady::time_point::max();
}

class MonotonicClock final : public Clock {
 public:
  Instant now() const override { return Instant(Steady::now().time_since_epoch()); }

#if defined(CLOCK_MONOTONIC_COARSE)
  // The instant of the last timer tick, by the same clock: no need to ask the processor.
  Instant recent() const override {
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
    return Instant(std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec));
  }
#endif

  void sleep(Wakeup& wakeup, Instant deadline) override {
    if (deadline == Instant::max()) {
      wakeup.wait();
    } else {
      wakeup.wait_until(Steady::time_point(deadline.time_since_epoch()));
    }
  }
};

}  // namespace

void Wakeup::raise() {
  {
    const std::lock_guard lock(mutex_);
    raised_ = true;
  }
  condition_.notify_one();
}

void Wakeup::wait() {
  std::unique_lock lock(mutex_);
  condition_.wait(lock, [this] { return raised_; });
  raised_ = false;
}

bool Wakeup::wait_until(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const bool raised = condition_.wait_until(lock, deadline, [this] { return raised_; });
  raised_ = false;
  return raised;
}

void Clock::sleep(Wakeup& wakeup, Instant deadline) {
  if (deadline == Instant::max()) return wakeup.wait();
  const auto at = now();
  if (at >= deadline) return;
  wakeup.wait_until(steady_in(deadline - at));
}

std::shared_ptr<Clock> monotonic_clock() {
  static const std::shared_ptr<Clock> clock = std::make_shared<MonotonicClock>();
  return clock;
}

}  // namespace fairlane
