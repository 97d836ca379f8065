#include "run/lines_mode.h"

#include <utility>

#include "run/lines_worker.h"

namespace fairlane::run {

void lines_worker(const Shop& shop, std::string worker) {
  LinesWorker(shop, std::move(worker)).run();
}

}  // namespace fairlane::run
