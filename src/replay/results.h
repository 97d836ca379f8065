// What operations return, as the trace language prints it.
#pragma once

#include <optional>

#include "fairlane/control.h"
#include "fairlane/transport.h"
#include "replay/json_line.h"

namespace fairlane::replay {

/// Whole milliseconds, truncated.
std::int64_t to_ms(Instant instant);

Json lease_result(const std::optional<Lease<Bytes>>& lease);
Json settled_result(Settled settled);
Json inspect_result(const GroupInfo& info);
Json stats_result(const Stats& stats);

}  // namespace fairlane::replay
