// Runs operations on a transport and on the model, side by side, until they disagree.
#pragma once

#include <optional>
#include <string>

#include "driver.h"
#include "slow_model.h"

namespace fairlane::model {

struct Divergence {
  std::vector<Operation> operations;  ///< up to and with the one that was answered differently
  Outcome expected;
  Outcome got;
};

/// One history of `length` random operations on a new store, with a look at everything at its end.
std::optional<Divergence> run_random_history(const OpenSubject& open, const QueueRules& rules,
                                             std::uint64_t seed, std::size_t length);

/// The same operations again on a new store; those that use leases that were not given are left
/// out.
std::optional<Divergence> run_again(const OpenSubject& open, const QueueRules& rules,
                                    const std::vector<Operation>& operations);

/// Leaves out operations as long as there is still a divergence, in at most `tries` runs.
Divergence shrink(const OpenSubject& open, const QueueRules& rules, Divergence divergence,
                  std::size_t tries = 4000);

/// For a failed test: the history as a trace, and the two answers to its last line.
std::string describe(const QueueRules& rules, const Divergence& divergence);

}  // namespace fairlane::model
