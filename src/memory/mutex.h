// The store's lock.
#pragma once

#include <atomic>

#include "fairlane/detail/thread_annotations.h"

namespace fairlane::memory {

/// A lock for critical sections of tens of nanoseconds.
///
/// Unlocking is a plain store, so an uncontended pair costs one atomic instruction where a
/// pthread mutex costs two. Who finds it taken stays away for longer and longer: first spinning,
/// then yielding, then sleeping for at most a millisecond. That lets the holder run many sections
/// with all data in its own cache before the lock changes sides, and costs no system call per
/// hand-over; it gives up first-come order, which nothing here needs.
class FAIRLANE_CAPABILITY("mutex") Mutex {
 public:
  void lock() noexcept FAIRLANE_ACQUIRE() {
    if (held_.exchange(true, std::memory_order_acquire)) lock_contended();
  }
  void unlock() noexcept FAIRLANE_RELEASE() { held_.store(false, std::memory_order_release); }

 private:
  void lock_contended() noexcept;

  std::atomic<bool> held_{false};
};

}  // namespace fairlane::memory
