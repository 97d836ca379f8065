// Strings and bytes as JSON.
#pragma once

#include <string>
#include <string_view>

namespace fairlane::text {

/// Appends `text`, which is valid UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

/// Appends a member of an object, without a comma: `"NAME":"BYTES"` if they are UTF-8, else
/// `"NAME_base64":"..."`.
void append_json_bytes(std::string& out, std::string_view name, std::string_view bytes);

/// `text` with what is not UTF-8 replaced by U+FFFD, so that it can stand in JSON.
std::string to_valid_utf8(std::string_view text);

}  // namespace fairlane::text
