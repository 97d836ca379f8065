// Any bytes as an input line, by a dotted path and by a pointer.
#include "run/json_key.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fairlane::run;
  static const JsonKey group("a.b");
  static const JsonKey priority("/c/0");
  static KeyReader reader(&group, &priority);
  (void)reader.read({reinterpret_cast<const char*>(data), size});
  return 0;
}
