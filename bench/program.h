// Programs beside which is measured.
#pragma once

#include <string>

namespace fairlane::bench {

/// Runs a command of the shell and returns what it printed. Throws if it fails.
std::string run_program(const std::string& command);

}  // namespace fairlane::bench
