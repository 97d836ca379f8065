// What drained groups took is given back.
#include "redis_fixture.h"

namespace fairlane::redis {
namespace {

using std::chrono::seconds;

TEST_F(RedisTest, WhatDrainedGroupsTookIsGivenBack) {
  const auto queue = open();
  Raw raw(options);
  const auto before = raw.keys_of(options.queue_name);
  ASSERT_EQ(before.size(), 1U) << "the record";
  const auto fields = raw.number({"HLEN", before[0]});
  auto& control = queue->control();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) {
      const std::string group = "g" + std::to_string(i % 50);
      queue->publish(group, "event", i % 50 - 25);
      if (i % 9 == 0) control.suspend(group);
      if (i % 9 == 1) control.cancel(group, "instead");
    }
    for (const auto& lease : queue->claim_batch(20, "w", seconds(1), -25)) {
      EXPECT_EQ(queue->nack(lease, seconds(2)), Settled::done);
    }
    for (const auto& lease : queue->claim_batch(20, "w", seconds(1), -25)) {
      EXPECT_EQ(queue->reject(lease), Settled::done);
    }
    clock->advance(seconds(3));
    EXPECT_GT(raw.keys_of(options.queue_name).size(), 20U);
    for (int i = 0; i < 50; ++i) control.resume("g" + std::to_string(i));
    for (int i = 0; i < 10; ++i) control.terminate("g" + std::to_string(i));
    for (const auto& letter : control.dead_letters(1'000)) {
      letter.seq % 2 == 0 ? control.drop_dead(letter.seq)
                          : static_cast<void>(control.redrive(letter.seq));
    }
    while (const auto lease = queue->claim("w", seconds(30), -25)) {
      EXPECT_EQ(queue->ack(*lease), Settled::done);
    }
    EXPECT_EQ(raw.keys_of(options.queue_name), before);
    EXPECT_EQ(raw.number({"HLEN", before[0]}), fields);
  }
}

}  // namespace
}  // namespace fairlane::redis
