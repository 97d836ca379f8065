// Random histories of all operations: the in-memory transport answers as the slow model does.
//
// FAIRLANE_MODEL_OPERATIONS: operations for each configuration (1,000,000).
// FAIRLANE_SEED: the seed (random; printed).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "configurations.h"
#include "history.h"
#include "support/seed.h"

namespace fairlane::model {
namespace {

class RandomHistories : public ::testing::TestWithParam<Configuration> {};

TEST_P(RandomHistories, AreAnsweredAsTheModelAnswersThem) {
  const auto& rules = GetParam().rules;
  const auto operations = test::count_from_environment("FAIRLANE_MODEL_OPERATIONS", 1'000'000);
  const auto seed = test::seed();
  SCOPED_TRACE("FAIRLANE_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (std::uint64_t done = 0; done < operations;) {
    const std::uint64_t length = std::min<std::uint64_t>(1 + random() % 3000, operations - done);
    const auto divergence = run_random_history(open_memory, rules, random(), length);
    ASSERT_FALSE(divergence) << describe(rules, shrink(open_memory, rules, *divergence));
    done += length;
  }
}

INSTANTIATE_TEST_SUITE_P(InMemory, RandomHistories, ::testing::ValuesIn(configurations),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace fairlane::model
