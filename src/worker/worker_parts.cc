#include "fairlane/detail/worker_parts.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace fairlane::detail {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A batch this long is as much as a lease should wait for its handler to begin.
constexpr Duration slow_batch = microseconds(100);
constexpr Duration fast_batch = microseconds(50);
constexpr Duration shortest_interval = milliseconds(1);

}  // namespace

std::string describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

Duration heartbeat_interval(Duration visibility) noexcept {
  // What is in flight for its instant only cannot be kept alive.
  if (visibility == Duration()) return Duration::max();
  return std::max(Duration(visibility.value() / 3), shortest_interval);
}

std::size_t ClaimMix::take(std::size_t n) noexcept {
  const auto due = [this](std::uint64_t claims) {
    return static_cast<std::uint64_t>(std::floor(static_cast<double>(claims) * high_ratio_));
  };
  const auto before = due(claims_);
  claims_ += n;
  return static_cast<std::size_t>(due(claims_) - before);
}

void Pace::took(Duration elapsed) noexcept {
  if (elapsed > slow_batch) {
    size_ = std::max<std::size_t>(1, size_ / 4);
  } else if (elapsed < fast_batch) {
    size_ = std::min(most_, size_ * 2);
  }
}

void pause(Clock& clock, Duration delay, const std::stop_token& stop) {
  Wakeup wakeup;
  const std::stop_callback on_stop(stop, [&] { wakeup.raise(); });
  const Instant until = saturating_add(clock.now(), std::max(delay, shortest_interval));
  while (!stop.stop_requested() && clock.now() < until) clock.sleep(wakeup, until);
}

}  // namespace fairlane::detail
