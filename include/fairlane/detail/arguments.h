// Arguments as section 9 of the contract judges them, for all transports. Not for direct use.
#pragma once

#include <cstdint>
#include <string_view>

#include "fairlane/duration.h"

namespace fairlane::detail {

/// Errors: `std::invalid_argument`, with the value in the text.
void check_group_id(std::string_view group_id);
void check_duration(Duration duration, const char* name);

/// Raises `too_large`.
[[noreturn]] void throw_too_large(std::uint64_t bytes, std::uint64_t limit);

}  // namespace fairlane::detail
