// Tells people how far a run is, and what it came to.
#pragma once

#include <chrono>
#include <string>

#include "run/run_state.h"

namespace fairlane::run {

/// One line: done of how many, rate, time left, groups, retries, dead.
std::string progress_line(const RunState& state, std::chrono::duration<double> elapsed);

/// The lines at the end.
std::string summary(const RunState& state, std::chrono::duration<double> elapsed);

/// The same of workers alone: nobody knows how many events there will be.
std::string work_progress_line(const RunState& state, std::chrono::duration<double> elapsed);
std::string work_summary(const RunState& state, std::chrono::duration<double> elapsed);

}  // namespace fairlane::run
