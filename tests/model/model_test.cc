// Random histories of all operations: the in-memory transport answers as the slow model does.
//
// FAIRLANE_MODEL_OPERATIONS: operations for each configuration (1,000,000).
// FAIRLANE_SEED: the seed (random; printed).
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>

#include "history.h"
#include "support/seed.h"

namespace fairlane::model {
namespace {

struct Configuration {
  const char* name;
  QueueRules rules;
};

void PrintTo(const Configuration& configuration, std::ostream* out) { *out << configuration.name; }

constexpr auto ready_order = Rotation::ready_order;
constexpr auto suspend_group = WhenExhausted::suspend_group;

const Configuration configurations[] = {
    {"default_rules", {}},
    {"ready_order", {.rotation = ready_order}},
    {"max_attempts_1", {.max_attempts = 1}},
    {"max_attempts_3", {.max_attempts = 3}},
    {"suspend_group", {.when_exhausted = suspend_group, .max_attempts = 2}},
    {"limits", {.max_messages = 12, .max_group_messages = 4, .max_event_bytes = 12}},
    {"ready_order_with_suspend_group",
     {.rotation = ready_order, .when_exhausted = suspend_group, .max_attempts = 1}},
    {"ready_order_with_limits_and_dead_letters",
     {.rotation = ready_order, .max_attempts = 2, .max_messages = 8, .max_group_messages = 3}},
    {"suspend_group_with_limits",
     {.when_exhausted = suspend_group, .max_attempts = 3, .max_group_messages = 2}},
};

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
