#include "memory/mutex.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace fairlane::memory {

namespace {

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

void Mutex::lock_contended() noexcept {
  constexpr int max_pauses = 1 << 9;  // Some ten microseconds: a few hundred sections.
  constexpr int yields = 64;
  constexpr std::chrono::microseconds max_sleep(1000);
  const auto try_lock = [this] {
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  };
  for (int pauses = 4; pauses <= max_pauses; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) pause();
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
