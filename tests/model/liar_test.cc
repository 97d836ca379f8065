// The model test is tested: a transport that lies once is caught, and the history that shows it is
// made short.
#include <gtest/gtest.h>

#include <iostream>

#include "history.h"
#include "liar.h"
#include "support/seed.h"

namespace fairlane::model {
namespace {

class ALieToldOnce : public ::testing::TestWithParam<Lie> {};

TEST_P(ALieToldOnce, IsCaughtAndShownByAShortTrace) {
  const auto seed = test::seed();
  const QueueRules rules;
  const auto open = open_liar(GetParam(), 2);
  std::optional<Divergence> found;
  // A lie may stay without consequence in one history, for instance told of an empty group.
  for (std::uint64_t round = 0; round < 50 && !found; ++round) {
    found = run_random_history(open, rules, seed + round, 3000);
  }
  ASSERT_TRUE(found);
  const auto shrunk = shrink(open, rules, *found, 600);
  EXPECT_LE(shrunk.operations.size(), 60u) << describe(rules, shrunk);
  EXPECT_TRUE(run_again(open, rules, shrunk.operations));
  EXPECT_FALSE(run_again(open_memory, rules, shrunk.operations)) << describe(rules, shrunk);
}

INSTANTIATE_TEST_SUITE_P(InMemory, ALieToldOnce,
                         ::testing::Values(Lie::withholds_a_lease, Lie::acks_without_removing,
                                           Lie::nacks_without_parking, Lie::extends_without_effect,
                                           Lie::counts_a_release, Lie::forgets_a_reason,
                                           Lie::forgets_a_suspension, Lie::forgets_a_priority,
                                           Lie::turns_a_batch_around, Lie::shortens_a_visibility,
                                           Lie::ignores_a_floor, Lie::drops_a_message_in_hand,
                                           Lie::miscounts, Lie::skips_a_group),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace fairlane::model
