#include "memory/mutex.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "fairlane/detail/pause.h"

namespace fairlane::memory {

void Mutex::lock_contended() noexcept {
  constexpr int max_pauses = 1 << 9;  // Some ten microseconds: a few hundred sections.
  constexpr int yields = 64;
  constexpr std::chrono::microseconds max_sleep(1000);
  const auto try_lock = [this] {
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  };
  for (int pauses = 4; pauses <= max_pauses; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) detail::pause();
    if (try_lock()) return;
  }
  for (int i = 0; i < yields; ++i) {
    std::this_thread::yield();
    if (try_lock()) return;
  }
  for (std::chrono::microseconds sleep(50);; sleep = std::min(2 * sleep, max_sleep)) {
    std::this_thread::sleep_for(sleep);
    if (try_lock()) return;
  }
}

}  // namespace fairlane::memory
