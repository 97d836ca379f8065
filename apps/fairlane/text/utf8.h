// Walks text by code points.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fairlane::text {

/// A code point and how many bytes it takes.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The one that `text` begins with; nothing for what is not UTF-8, or no text at all.
std::optional<CodePoint> first_code_point(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

}  // namespace fairlane::text
