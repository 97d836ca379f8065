// One command, as the server reads it.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fairlane::redis {

/// Collects words, each written as it goes over the wire: nothing of them has to stay.
class Command {
 public:
  Command() { bytes_.reserve(expected_size); }
  Command(std::initializer_list<std::string_view> words) : Command() {
    for (const auto word : words) add(word);
  }

  Command& add(std::string_view word) {
    ++words_;
    append_line(bytes_, '$', word.size());
    bytes_.append(word).append("\r\n");
    return *this;
  }
  Command& add(const char* word) { return add(std::string_view(word)); }
  Command& add(const std::string& word) { return add(std::string_view(word)); }
  template <std::integral Number>
  Command& add(Number number) {
    std::array<char, most_digits> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    return add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }

  /// The whole command, or `std::bad_alloc` and nothing of it: others' commands go out beside it.
  void append_to(std::string& bytes) const {
    bytes.reserve(bytes.size() + most_digits + bytes_.size());
    append_line(bytes, '*', words_);
    bytes.append(bytes_);
  }

 private:
  static constexpr std::size_t expected_size = 400;
  static constexpr std::size_t most_digits = 24;

  static void append_line(std::string& bytes, char kind, std::size_t count) {
    std::array<char, most_digits> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), count).ptr;
    bytes += kind;
    bytes.append(digits.data(), end).append("\r\n");
  }

  std::string bytes_;
  std::size_t words_ = 0;
};

}  // namespace fairlane::redis
