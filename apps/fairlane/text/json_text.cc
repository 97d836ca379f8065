// Escapes by hand what stands in the path of every event; a library builds a value first.
#include "text/json_text.h"

#include <nlohmann/json.hpp>

#include "text/base64.h"
#include "text/utf8.h"

namespace fairlane::text {

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += hex[byte >> 4U];
      out += hex[byte & 0xfU];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json_bytes(std::string& out, std::string_view name, std::string_view bytes) {
  const bool readable = is_utf8(bytes);
  out += '"';
  out += name;
  out += readable ? "\":" : "_base64\":";
  if (readable) {
    append_json_string(out, bytes);
  } else {
    append_json_string(out, to_base64(bytes));
  }
}

std::string to_valid_utf8(std::string_view text) {
  const nlohmann::json value = text;
  const auto dumped = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(dumped).get<std::string>();
}

}  // namespace fairlane::text
