// A history of a queue that leaves one of each thing behind, for tests of what becomes of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fairlane/testing/manual_clock.h"
#include "fairlane/transport.h"

namespace fairlane::test {

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

/// The rules of a second queue beside it, which differ from the first's in all.
inline constexpr QueueOptions line_options{.rotation = Rotation::ready_order,
                                           .when_exhausted = WhenExhausted::suspend_group,
                                           .max_attempts = 1,
                                           .max_messages = 7,
                                           .max_group_messages = 3,
                                           .max_event_bytes = 9};

/// In the second queue: a line that is not in order of age, and a group suspended by its failure.
void stand_in_line(Transport<Bytes>& queue);

}  // namespace fairlane::test
