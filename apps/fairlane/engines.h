// The engines that this command was built with.
#pragma once

#include <string>
#include <string_view>

namespace fairlane::command {

/// Makes `open` know their URLs.
void register_engines();

/// What has to be run in a database before `engine` can use it; empty: nothing has.
/// Errors: `std::invalid_argument` for an engine that is not known here.
std::string schema_of(std::string_view engine);

}  // namespace fairlane::command
