#include "crew.h"

#include <chrono>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace fairlane::bench {

double run_crew(std::size_t workers, const std::function<void(std::size_t worker)>& run) {
  std::latch ready(static_cast<std::ptrdiff_t>(workers + 1));
  std::mutex mutex;
  std::exception_ptr fault;
  std::vector<std::jthread> crew;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    crew.emplace_back([&, worker] {
      ready.arrive_and_wait();
      try {
        run(worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!fault) fault = std::current_exception();
      }
    });
  }
  ready.arrive_and_wait();
  const auto began = std::chrono::steady_clock::now();
  crew.clear();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  if (fault) std::rethrow_exception(fault);
  return passed.count();
}

}  // namespace fairlane::bench
