#include "run/options.h"

#include <stdexcept>

namespace fairlane::run {

void validate(const RunOptions& options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(!options.command.empty(), "no COMMAND: write it behind \"--\"");
  require(options.workers >= 1 && options.workers <= 4096, "--workers is not in 1..4096");
  require(options.window >= 1 && options.window <= 65536, "--window is not in 1..65536");
  require(options.limit >= 1, "--limit is not at least 1");
  require(options.high_ratio >= 0 && options.high_ratio <= 1, "--high-ratio is not in 0..1");
  require(options.visibility >= std::chrono::milliseconds(10), "--visibility is below 10ms");
  require(!options.timeout || *options.timeout > Duration(), "--timeout is not above 0");
}

}  // namespace fairlane::run
