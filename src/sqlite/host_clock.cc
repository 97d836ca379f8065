#include "sqlite/host_clock.h"

#include <chrono>

namespace fairlane::sqlite {

namespace {

class HostClock final : public Clock {
 public:
  Instant now() const override {
    return Instant(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch()));
  }
};

}  // namespace

std::shared_ptr<Clock> host_clock() {
  static const auto clock = std::make_shared<HostClock>();
  return clock;
}

}  // namespace fairlane::sqlite
