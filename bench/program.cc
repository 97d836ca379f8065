#include "program.h"

#include <stdio.h>

#include <array>
#include <stdexcept>

namespace fairlane::bench {

std::string run_program(const std::string& command) {
  FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("there is no shell");
  std::string printed;
  std::array<char, 4096> part{};
  while (const auto size = ::fread(part.data(), 1, part.size(), output)) {
    printed.append(part.data(), size);
  }
  if (::pclose(output) != 0) {
    throw std::runtime_error("it failed, or is not there: " + command.substr(0, command.find(' ')));
  }
  return printed;
}

}  // namespace fairlane::bench
