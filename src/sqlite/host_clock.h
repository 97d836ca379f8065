// The clock that every process of a machine shares, and that goes on after a restart.
#pragma once

#include <memory>

#include "fairlane/clock.h"

namespace fairlane::sqlite {

/// The time of the day, as nanoseconds since 1970. It may be stepped; the queue's file keeps the
/// latest instant that was used, and no call goes behind it.
std::shared_ptr<Clock> host_clock();

}  // namespace fairlane::sqlite
