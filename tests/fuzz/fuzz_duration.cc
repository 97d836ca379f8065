// Any text as a duration or a range of them; what is accepted comes back from its own text.
#include <cstdlib>
#include <stdexcept>

#include "run/duration_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fairlane::run;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto duration = parse_duration(text);
    if (duration.is_negative()) std::abort();
  } catch (const std::invalid_argument&) {
  }
  try {
    const auto range = parse_duration_range(text);
    if (range.min > range.max) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
