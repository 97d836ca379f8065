// Bytes of strangers as a terminal may show them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairlane::text {

/// `bytes` with everything escaped that could drive a terminal or mislead its reader: control
/// characters and what turns the direction of writing (`\n`, `\x1b`, `\u202e`), bytes that are not
/// UTF-8 (`\xff`), and the backslash itself.
///
/// Of more than `columns` columns the end is cut off and replaced by "...".
std::string terminal_text(std::string_view bytes,
                          std::size_t columns = static_cast<std::size_t>(-1));

/// How many columns a text that is escaped takes, each code point one.
std::size_t columns_of(std::string_view text) noexcept;

}  // namespace fairlane::text
