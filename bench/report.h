// The table at the end of a run.
#pragma once

#include <ostream>
#include <vector>

#include "harness.h"

namespace fairlane::bench {

void print_table(std::ostream& out, const std::vector<Row>& rows);

}  // namespace fairlane::bench
