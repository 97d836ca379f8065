// Any bytes as a trace: broken or not, but never a crash.
#include <sstream>

#include "replay/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::istringstream trace(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream results;
  std::ostringstream failures;
  fairlane::replay::Counts counts;
  try {
    fairlane::replay::replay("memory:", "trace", trace, &results, failures, counts);
  } catch (const fairlane::replay::BrokenTrace&) {
  }
  return 0;
}
