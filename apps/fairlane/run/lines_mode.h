// `--mode lines`: COMMAND is started once per worker and lives on.
#pragma once

#include <string>

#include "run/exec_mode.h"

namespace fairlane::run {

/// Claims events and keeps up to a window of them with one process, until the run ends.
void lines_worker(const Shop& shop, std::string worker);

}  // namespace fairlane::run
