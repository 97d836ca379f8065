// Strings as JSON literals.
#pragma once

#include <string>
#include <string_view>

namespace fairlane::run {

/// Appends `text`, which is valid UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

/// `text` with what is not UTF-8 replaced by U+FFFD, so that it can stand in JSON.
std::string to_valid_utf8(std::string_view text);

}  // namespace fairlane::run
