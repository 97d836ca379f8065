// One command, as the server reads it.
#pragma once

#include <hiredis/hiredis.h>

#include <concepts>
#include <cstddef>
#include <forward_list>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::redis {

/// Collects words. What is added as a view has to stay until `append_to`.
class Command {
 public:
  Command() {
    words_.reserve(expected_words);
    sizes_.reserve(expected_words);
  }
  Command(std::initializer_list<std::string_view> words) : Command() {
    for (const auto word : words) add(word);
  }

  Command& add(std::string_view word) {
    words_.push_back(word.data() != nullptr ? word.data() : "");
    sizes_.push_back(word.size());
    return *this;
  }
  Command& add(const char* word) { return add(std::string_view(word)); }
  Command& add(std::string&& word) { return add(std::string_view(kept_.emplace_front(word))); }
  Command& add(const std::string& word) { return add(std::string_view(word)); }
  template <std::integral Number>
  Command& add(Number number) {
    if (number == 0) return add(std::string_view("0"));
    return add(std::to_string(number));
  }

  void append_to(std::string& bytes) const {
    char* formatted = nullptr;
    auto* const words = const_cast<const char**>(words_.data());  // hiredis does not write there.
    const auto size =
        redisFormatCommandArgv(&formatted, static_cast<int>(words_.size()), words, sizes_.data());
    if (size < 0) throw std::bad_alloc();
    try {
      bytes.append(formatted, static_cast<std::size_t>(size));
    } catch (...) {
      redisFreeCommand(formatted);
      throw;
    }
    redisFreeCommand(formatted);
  }

 private:
  static constexpr std::size_t expected_words = 16;
  std::vector<const char*> words_;
  std::vector<std::size_t> sizes_;
  std::forward_list<std::string> kept_;
};

}  // namespace fairlane::redis
