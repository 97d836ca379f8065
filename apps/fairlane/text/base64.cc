#include "text/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fairlane::text {

namespace {

constexpr std::string_view letters_of(Base64 alphabet) {
  return alphabet == Base64::standard
             ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
             : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}

constexpr std::uint8_t no_letter = 64;

constexpr std::array<std::uint8_t, 256> values_of(Base64 alphabet) {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = no_letter;
  const auto letters = letters_of(alphabet);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    values[static_cast<unsigned char>(letters[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr auto standard_values = values_of(Base64::standard);
constexpr auto url_values = values_of(Base64::url);

}  // namespace

std::string to_base64(std::string_view bytes, Base64 alphabet) {
  const auto letters = letters_of(alphabet);
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto part = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < part.size() ? static_cast<unsigned char>(part[k]) : 0U);
    }
    for (std::size_t k = 0; k <= part.size(); ++k) text += letters[bits >> (18U - 6U * k) & 63U];
    if (alphabet == Base64::standard) text.append(3 - part.size(), '=');
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Base64 alphabet) {
  if (alphabet == Base64::standard) {
    if (text.size() % 4 != 0) return std::nullopt;
    const auto end = text.find_last_not_of('=');
    const auto length = end == std::string_view::npos ? 0 : end + 1;
    if (text.size() - length > 2) return std::nullopt;
    text = text.substr(0, length);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  const auto& values = alphabet == Base64::standard ? standard_values : url_values;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const auto part = text.substr(i, 4);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t value =
          k < part.size() ? values[static_cast<unsigned char>(part[k])] : 0U;
      if (value == no_letter) return std::nullopt;
      bits = bits << 6U | value;
    }
    for (std::size_t k = 0; k + 1 < part.size(); ++k) {
      bytes += static_cast<char>(bits >> (16U - 8U * k) & 0xffU);
    }
    // The bits that stand for no byte are zero, or another text would mean the same.
    const auto unused = 8U * (4U - static_cast<std::uint32_t>(part.size()));
    if (part.size() < 4 && (bits & ((1U << unused) - 1U)) != 0) return std::nullopt;
  }
  return bytes;
}

}  // namespace fairlane::text
