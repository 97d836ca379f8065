// Any text as the URL of a transport.
#include <stdexcept>

#include "fairlane/open.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    (void)fairlane::open({reinterpret_cast<const char*>(data), size});
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
