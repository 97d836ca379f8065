#include "common/url.h"

#include <stdexcept>

#include "fairlane/open.h"

namespace fairlane::common {

namespace {

int digit_of(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::string unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      throw std::invalid_argument("a % in a URL begins two hexadecimal digits: \"" +
                                  shown_url(text) + "\"");
    }
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

}  // namespace

Url parse_url(std::string_view text) {
  const auto question = text.find('?');
  Url url{unescape(text.substr(0, question)), {}};
  if (question == std::string_view::npos) return url;
  for (std::string_view rest = text.substr(question + 1); !rest.empty();) {
    const auto end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw std::invalid_argument("a URL's parameter is NAME=VALUE, not \"" + shown_url(pair) +
                                  "\"");
    }
    const std::string name = unescape(pair.substr(0, equals));
    if (!url.parameters.emplace(name, unescape(pair.substr(equals + 1))).second) {
      throw std::invalid_argument("a URL's parameter is given twice: \"" + name + "\"");
    }
  }
  return url;
}

}  // namespace fairlane::common
