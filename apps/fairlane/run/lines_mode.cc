// Not built yet: refused before anything is read.
#include "run/lines_mode.h"

namespace fairlane::run {

void lines_worker(const Shop& shop, std::string) {
  shop.state.end(Ending::broken, "--mode lines is not available");
}

}  // namespace fairlane::run
