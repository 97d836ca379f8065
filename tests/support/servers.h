// The servers that tests of PostgreSQL and Redis talk to.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace fairlane::test {

/// The URL in `variable`, FAIRLANE_TEST_POSTGRES or FAIRLANE_TEST_REDIS. Throws where there is
/// none: a test without its server fails.
inline std::string server_url(const char* variable) {
  const char* const url = std::getenv(variable);
  if (url == nullptr || *url == '\0') {
    throw std::runtime_error(
        std::string(variable) +
        " names no server; run the tests with: scripts/with-servers ctest ...");
  }
  return url;
}

}  // namespace fairlane::test
