// Threads that set out together.
#pragma once

#include <cstddef>
#include <functional>

namespace fairlane::bench {

/// Calls `run(worker)` on a thread for each worker, once all of them stand ready. Returns the
/// seconds from then until the last has ended. Throws what the first that failed threw, after that.
double run_crew(std::size_t workers, const std::function<void(std::size_t worker)>& run);

}  // namespace fairlane::bench
