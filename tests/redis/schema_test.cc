// Keys that an earlier version left are opened, and mean what they meant.
#include <sys/types.h>

#include <cstdarg>
#include <cstdint>
#include <fstream>

extern "C" {  // It says so itself only in later versions.
#include <hiredis/sds.h>
}

#include "redis_fixture.h"

namespace fairlane::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Carries out the commands of a file, with a queue's record in the place of {QUEUE}.
void restore(Raw& raw, const std::string& file, const std::string& queue) {
  std::ifstream commands(file);
  ASSERT_TRUE(commands) << file;
  const std::string placeholder = "{QUEUE}";
  for (std::string line; std::getline(commands, line);) {
    int count = 0;
    sds* const split = sdssplitargs(line.c_str(), &count);
    ASSERT_NE(split, nullptr) << line;
    std::vector<std::string> words;
    for (int i = 0; i < count; ++i) words.emplace_back(split[i], sdslen(split[i]));
    sdsfreesplitres(split, count);
    ASSERT_TRUE(words.at(1).starts_with(placeholder)) << line;
    words[1].replace(0, placeholder.size(), record_key(queue));
    raw.ask(words);
  }
}

TEST_F(RedisTest, KeysOfVersion1AreOpened) {
  Raw raw(options);
  restore(raw, std::string(FAIRLANE_TESTS_FOLDER) + "/redis/schema/version_1.txt",
          options.queue_name);
  clock->advance(seconds(1));
  auto named = options;
  named.queue = {.rotation = Rotation::ready_order, .max_attempts = 2, .max_messages = 100};
  const auto queue = open_redis(named);
  auto& control = queue->control();

  const auto stats = control.stats();
  EXPECT_EQ(stats.groups, 6U);
  EXPECT_EQ(stats.leased, 1U);
  EXPECT_EQ(stats.parked, 1U);
  EXPECT_EQ(stats.suspended, 1U);
  EXPECT_EQ(stats.ready, 3U);
  EXPECT_EQ(stats.waiting, 1U);
  EXPECT_EQ(stats.dead, 1U);
  EXPECT_EQ(stats.oldest_age, Duration(seconds(1)));
  const auto leased = control.inspect("leased");
  EXPECT_EQ(leased.worker_id, "first");
  EXPECT_EQ(leased.attempt, 1U);
  EXPECT_EQ(leased.until, Instant(seconds(61)));
  EXPECT_EQ(leased.priority, 3);
  const auto parked = control.inspect("parked");
  EXPECT_EQ(parked.until, Instant(seconds(31)));
  EXPECT_EQ(parked.priority, -7);
  EXPECT_EQ(control.groups({.suspended = true}),
            (std::vector<std::string>{"nothing yet", "suspended"}));
  const auto dead = control.dead_letters(10).at(0);
  EXPECT_EQ(dead.seq, 4U);
  EXPECT_EQ(dead.worker_id, "third");
  EXPECT_EQ(dead.reason, "broken");
  EXPECT_EQ(dead.priority, 2);

  std::string order;
  while (const auto lease = queue->claim("w", seconds(5), -10)) {
    order += std::string(lease->group_id()) + ",";
    EXPECT_EQ(queue->ack(*lease), Settled::done);
  }
  EXPECT_EQ(order, "ready,,dead,");
  clock->advance(seconds(30) + milliseconds(1));
  EXPECT_EQ(queue->claim("w", seconds(5), -10)->attempt(), 2U) << "the parked one";
  clock->advance(seconds(31));
  EXPECT_EQ(queue->claim("w", seconds(5), -10)->event(), "\"l1\"") << "the leased one";
  EXPECT_EQ(control.redrive(4), 9U);
  control.resume("suspended");
  EXPECT_EQ(queue->claim("w", seconds(5))->group_id(), "suspended");
}

}  // namespace
}  // namespace fairlane::redis
