// The seed of random tests: printed, and repeated with FAIRLANE_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace fairlane::test {

/// FAIRLANE_SEED if it is set, else a new one; printed either way.
inline std::uint64_t seed() {
  const char* const given = std::getenv("FAIRLANE_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "FAIRLANE_SEED=" << seed << std::endl;
  return seed;
}

/// A count that sanitizer runs lower and patient people raise, by an environment variable.
inline std::uint64_t count_from_environment(const char* variable, std::uint64_t otherwise) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

}  // namespace fairlane::test
