#include "fairlane/testing/faulty_transport.h"

#include <random>

namespace fairlane::testing {

FaultPlan random_faults(std::uint64_t seed, double share) {
  return [=](Verb verb, std::uint64_t call) {
    std::seed_seq mixed{seed, seed >> 32U, static_cast<std::uint64_t>(verb), call};
    std::mt19937 random(mixed);
    const double drawn = static_cast<double>(random()) * 0x1p-32;
    if (drawn >= share) return Fault{};
    return Fault{drawn < share / 2 ? Fault::Kind::before : Fault::Kind::after};
  };
}

}  // namespace fairlane::testing
