// The server of PostgreSQL's that tests use, and a queue of a test's own on it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

namespace fairlane::test {

/// The server's URL. Errors: without one, `std::runtime_error`: a test that needs it has failed.
inline std::string postgres_url() {
  const char* const url = std::getenv("FAIRLANE_TEST_POSTGRES");
  if (url != nullptr && *url != '\0') return url;
  throw std::runtime_error(
      "FAIRLANE_TEST_POSTGRES is not set: run the tests under scripts/with-servers, which starts "
      "a server for them");
}

/// A name that no other test uses, now or in an earlier run: of a queue, a database or a role.
inline std::string fresh_name(const std::string& what = "test") {
  static const auto run = std::random_device{}();
  static std::atomic<unsigned> count{0};
  return what + "_" + std::to_string(::getpid()) + "_" + std::to_string(run) + "_" +
         std::to_string(++count);
}

}  // namespace fairlane::test
