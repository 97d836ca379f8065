// Random histories of all operations: the transport on PostgreSQL answers as the slow model does.
//
// FAIRLANE_POSTGRES_OPERATIONS: operations for each configuration (12,000).
// FAIRLANE_SEED: the seed (random; printed).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "configurations.h"
#include "fairlane/postgres_transport.h"
#include "history.h"
#include "support/postgres.h"
#include "support/seed.h"

namespace fairlane::model {
namespace {

class PostgresHistories : public ::testing::TestWithParam<Configuration> {
 protected:
  Subject open(const QueueRules& rules) {
    auto clock = std::make_shared<fairlane::testing::ManualClock>();
    PostgresOptions options{
        .conninfo = test::postgres_url(), .queue_name = test::fresh_name("model"), .clock = clock};
    options.queue = {rules.rotation,     rules.when_exhausted,     rules.max_attempts,
                     rules.max_messages, rules.max_group_messages, rules.max_event_bytes};
    auto transport = open_postgres(options);
    const auto reopen = [options](std::unique_ptr<Transport<Bytes>>& opened) {
      opened = nullptr;
      opened = open_postgres(options);
    };
    return {std::move(transport), std::move(clock), reopen, false};
  }
};

TEST_P(PostgresHistories, AreAnsweredAsTheModelAnswersThem) {
  const auto& rules = GetParam().rules;
  const auto operations = test::count_from_environment("FAIRLANE_POSTGRES_OPERATIONS", 12'000);
  const auto seed = test::seed();
  SCOPED_TRACE("FAIRLANE_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const OpenSubject opener = [this](const QueueRules& of) { return open(of); };
  for (std::uint64_t done = 0; done < operations;) {
    const std::uint64_t length = std::min<std::uint64_t>(1 + random() % 3000, operations - done);
    const auto divergence = run_random_history(opener, rules, random(), length);
    ASSERT_FALSE(divergence) << describe(rules, shrink(opener, rules, *divergence, 300));
    done += length;
  }
}

INSTANTIATE_TEST_SUITE_P(Postgres, PostgresHistories, ::testing::ValuesIn(configurations),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace fairlane::model
