#include "text/utf8.h"

namespace fairlane::text {

namespace {

constexpr char32_t first_surrogate = 0xd800;
constexpr char32_t last_surrogate = 0xdfff;
constexpr char32_t last_code_point = 0x10ffff;

}  // namespace

std::optional<CodePoint> first_code_point(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return CodePoint{first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7 || text.size() < bytes) return std::nullopt;
  char32_t value = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return std::nullopt;
    value = value << 6U | (byte & 0x3fU);
  }
  constexpr char32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < shortest[bytes] || value > last_code_point) return std::nullopt;
  if (value >= first_surrogate && value <= last_surrogate) return std::nullopt;
  return CodePoint{value, bytes};
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto point = first_code_point(text);
    if (!point) return false;
    text.remove_prefix(point->bytes);
  }
  return true;
}

}  // namespace fairlane::text
