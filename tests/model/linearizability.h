// Whether what several threads saw can be explained by one order of their calls.
#pragma once

#include <optional>
#include <vector>

#include "slow_model.h"

namespace fairlane::model {

/// A call of a concurrent history. Moments are drawn from one counter; the clock's readings lie
/// around the call, so that its own reading was one of `readings`.
struct RecordedCall {
  Operation operation;
  Outcome outcome;
  std::uint64_t called_at = 0;
  std::uint64_t returned_at = 0;
  std::vector<Instant> readings;  ///< the instants that the clock showed during the call
};

/// An order of the calls in which each takes effect between its call and its return, with one of
/// its clock readings, and the model answers every one as it was answered; nothing if there is
/// none. At most 64 calls.
std::optional<std::vector<std::size_t>> linearize(const SlowModel& start,
                                                  const std::vector<RecordedCall>& calls);

}  // namespace fairlane::model
