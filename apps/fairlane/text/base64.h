// Bytes as letters (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairlane::text {

/// Which letters stand for 62 and 63, and whether the end is padded with "=".
enum class Base64 {
  standard,  ///< "+", "/", padded
  url,       ///< "-", "_", not padded
};

std::string to_base64(std::string_view bytes, Base64 alphabet = Base64::standard);

/// Nothing for what `to_base64` would not have written: bytes have one text only.
std::optional<std::string> from_base64(std::string_view text, Base64 alphabet = Base64::standard);

}  // namespace fairlane::text
