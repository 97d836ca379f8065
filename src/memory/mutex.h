// The store's lock.
#pragma once

#include <mutex>

#include "fairlane/detail/thread_annotations.h"

namespace fairlane::memory {

class FAIRLANE_CAPABILITY("mutex") Mutex {
 public:
  void lock() FAIRLANE_ACQUIRE() { mutex_.lock(); }
  void unlock() FAIRLANE_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace fairlane::memory
