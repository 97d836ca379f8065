// A history of a queue that leaves one of each thing behind, for tests of what becomes of the file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fairlane/testing/manual_clock.h"
#include "fairlane/transport.h"

namespace fairlane::sqlite {

/// A queue, its clock, and the leases that were taken from it, by name.
struct Scene {
  Transport<Bytes>& queue;
  testing::ManualClock& clock;
  std::map<std::string, Lease<Bytes>> leases = {};
};

/// One call, which takes effect whole or not at all, or a step of the clock.
using Step = std::function<void(Scene&)>;

/// The rules of the queue that it is made for.
inline constexpr QueueOptions history_options{.max_attempts = 2};

/// At its end groups are ready, waiting, leased, run out, parked and suspended, one of them absent,
/// and there are dead letters of each kind.
std::vector<Step> history();

}  // namespace fairlane::sqlite
