// On a cluster: all keys of a queue lie in one slot, and scripts touch no others.
#include <random>

#include "configurations.h"
#include "history.h"
#include "redis_fixture.h"
#include "support/seed.h"

namespace fairlane::redis {
namespace {

/// Opens queues on one server, and remembers them.
struct Opener {
  RedisOptions server;
  std::vector<std::string>* names;

  model::Subject operator()(const QueueRules& rules) const {
    auto options = server;
    options.queue_name = test::fresh_queue_name() + "}{x}";
    names->push_back(options.queue_name);
    auto clock = std::make_shared<testing::ManualClock>();
    options.clock = clock;
    options.queue = {rules.rotation,     rules.when_exhausted,     rules.max_attempts,
                     rules.max_messages, rules.max_group_messages, rules.max_event_bytes};
    const auto reopen = [options](std::unique_ptr<Transport<Bytes>>& opened) {
      opened = nullptr;
      opened = open_redis(options);
    };
    return {open_redis(options), clock, reopen, false};
  }
};

TEST_F(RedisTest, OnAClusterAllKeysOfAQueueLieInOneSlot) {
  const OwnServer server("cluster-enabled yes");
  Raw raw(server.options());
  raw.ask({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  while (raw.text({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) continue;
  std::vector<std::string> names;
  const Opener opener{server.options(), &names};
  std::mt19937_64 random(test::seed());
  for (const auto& configuration : model::configurations) {
    const auto divergence = model::run_random_history(opener, configuration.rules, random(), 600);
    ASSERT_FALSE(divergence) << model::describe(configuration.rules, *divergence);
  }
  for (const auto& name : names) {
    const auto slot = raw.number({"CLUSTER", "KEYSLOT", record_key(name)});
    const auto keys = raw.keys_of(name);
    EXPECT_GT(keys.size(), 5U);
    for (const auto& key : keys) EXPECT_EQ(raw.number({"CLUSTER", "KEYSLOT", key}), slot) << key;
  }
}

TEST_F(RedisTest, ANodeWithoutTheSlotIsUnavailable) {
  const OwnServer server("cluster-enabled yes");
  EXPECT_EQ(error_of([&] { open_redis(server.options()); }), ErrorCode::unavailable);
}

}  // namespace
}  // namespace fairlane::redis
