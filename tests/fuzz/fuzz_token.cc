// Any text as a token; the one that is accepted is the one that is written for its lease.
#include <cstdlib>
#include <stdexcept>

#include "queue/token.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fairlane::command;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    if (to_token(from_token(text)) != text) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
