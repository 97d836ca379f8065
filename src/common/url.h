// What stands behind the scheme of a transport's URL.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fairlane::common {

/// `PATH?NAME=VALUE&..` with `%XX` for bytes that would mean something.
struct Url {
  std::string path;
  std::map<std::string, std::string> parameters;
};

/// Errors: `std::invalid_argument` for a broken escape, or a parameter without a value or given
/// twice.
Url parse_url(std::string_view text);

}  // namespace fairlane::common
