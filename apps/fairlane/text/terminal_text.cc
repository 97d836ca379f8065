#include "text/terminal_text.h"

#include <cstdint>

#include "text/utf8.h"

namespace fairlane::text {

namespace {

constexpr std::string_view dots = "...";

std::string hexadecimal(std::string_view prefix, std::uint32_t value, unsigned digits) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text(prefix);
  for (unsigned digit = digits; digit-- > 0;) text += hex[value >> (4U * digit) & 0xfU];
  return text;
}

bool is_within(char32_t value, char32_t first, char32_t last) {
  return value >= first && value <= last;
}

/// Control characters, and those that are not seen but change how others are.
bool is_dangerous(char32_t value) {
  return value < 0x20 || is_within(value, 0x7f, 0x9f) || value == 0xad || value == 0x61c ||
         is_within(value, 0x200b, 0x200f) || is_within(value, 0x2028, 0x202e) ||
         is_within(value, 0x2060, 0x206f) || is_within(value, 0xfff9, 0xfffb) || value == 0xfeff ||
         is_within(value, 0xe0000, 0xe007f);
}

/// What `bytes` begins with, as it is shown, and how many bytes of them that is.
std::string shown(std::string_view bytes, std::size_t& taken) {
  taken = 1;
  const auto point = first_code_point(bytes);
  if (!point) return hexadecimal("\\x", static_cast<unsigned char>(bytes.front()), 2);
  taken = point->bytes;
  if (point->value == U'\\') return "\\\\";
  if (point->value == U'\n') return "\\n";
  if (point->value == U'\r') return "\\r";
  if (point->value == U'\t') return "\\t";
  if (!is_dangerous(point->value)) return std::string(bytes.substr(0, point->bytes));
  if (point->value < 0x80) return hexadecimal("\\x", point->value, 2);
  if (point->value < 0x10000) return hexadecimal("\\u", point->value, 4);
  return hexadecimal("\\U", point->value, 8);
}

}  // namespace

std::string terminal_text(std::string_view bytes, std::size_t columns) {
  std::string text;
  std::size_t used = 0;
  std::size_t cut_at = 0;  // Where the dots go if the rest does not fit.
  while (!bytes.empty()) {
    std::size_t taken = 0;
    const auto part = shown(bytes, taken);
    const auto width = columns_of(part);
    if (used + width > columns) return text.substr(0, cut_at).append(dots);
    text += part;
    used += width;
    if (used + dots.size() <= columns) cut_at = text.size();
    bytes.remove_prefix(taken);
  }
  return text;
}

std::size_t columns_of(std::string_view text) noexcept {
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++columns;
  }
  return columns;
}

}  // namespace fairlane::text
