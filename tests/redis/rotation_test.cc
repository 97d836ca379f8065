// Order and turns where a sorted set, a double or a text might get them wrong.
#include <cstdint>
#include <limits>

#include "redis_fixture.h"

namespace fairlane::redis {
namespace {

using std::chrono::seconds;

constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
constexpr auto highest = std::numeric_limits<std::int32_t>::max();

std::string order_of(Transport<Bytes>& queue, std::int32_t floor = lowest) {
  std::string order;
  for (const auto& lease : queue.claim_batch(1'000, "w", seconds(30), floor)) {
    order += lease.event() + " ";
  }
  return order;
}

TEST_F(RedisTest, ANackWithoutDelayKeepsThePlaceThatTheClaimGave) {
  const auto queue = open();
  for (const char* const group : {"a", "b", "c"}) queue->publish(group, group);
  clock->advance(seconds(1));
  EXPECT_EQ(queue->nack(*queue->claim("w", seconds(30))), Settled::done);
  clock->advance(seconds(1));
  EXPECT_EQ(queue->release(*queue->claim("w", seconds(30))), Settled::done);
  clock->advance(seconds(1));
  EXPECT_EQ(order_of(*queue), "c a b ");
}

TEST_F(RedisTest, PrioritiesAreNotClamped) {
  const auto queue = open();
  for (const auto priority : {highest, highest - 1, lowest, lowest + 1, 0}) {
    queue->publish("g" + std::to_string(priority), std::to_string(priority), priority);
  }
  EXPECT_EQ(queue->control().inspect("g2147483647").priority, highest);
  EXPECT_EQ(queue->control().inspect("g-2147483648").priority, lowest);
  EXPECT_EQ(order_of(*queue, highest), "2147483647 ");
  EXPECT_EQ(order_of(*queue, highest - 1), "2147483646 ");
  EXPECT_EQ(order_of(*queue, lowest + 1), "-2147483647 0 ");
  EXPECT_EQ(order_of(*queue, lowest), "-2147483648 ");
}

TEST_F(RedisTest, EqualInstantsFallBackToTheSeqOfTheHead) {
  const auto queue = open();
  std::string expected;
  for (int i = 1; i <= 300; ++i) {  // Past one byte of the seq, and past what sorts as text.
    queue->publish("g" + std::to_string(i % 7) + "-" + std::to_string(i), std::to_string(i),
                   i % 3 - 1);
    expected += std::to_string(i) + " ";
  }
  for (int round = 0; round < 2; ++round) {
    const auto leases = queue->claim_batch(1'000, "w", seconds(30), lowest);
    ASSERT_EQ(leases.size(), 300U);
    for (auto lease = leases.rbegin(); lease != leases.rend(); ++lease) {
      EXPECT_EQ(queue->nack(*lease), Settled::done);
    }
  }
  EXPECT_EQ(order_of(*queue), expected);
}

TEST_F(RedisTest, ADeepGroupAndManyLowOnesHideNoOther) {
  const auto queue = open();
  std::vector<Publication<Bytes>> batch;
  for (int i = 0; i < 20'000; ++i) batch.push_back({"deep", "deep", 0});
  queue->publish_batch(batch);
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back("low" + std::to_string(i));
  batch.clear();
  for (const auto& name : names) batch.push_back({name, "low", -5});
  queue->publish_batch(batch);
  queue->publish("other", "other");
  EXPECT_EQ(order_of(*queue, 0), "deep other ");
  EXPECT_EQ(queue->claim("w", seconds(30), lowest)->event(), "low");
}

TEST_F(RedisTest, WhatRanOutInBulkIsNotedInBoundedSteps) {
  const OwnServer server;
  auto own = server.options();
  own.clock = clock;
  own.queue = {.max_attempts = 1};
  const auto queue = open_redis(own);
  EXPECT_EQ(queue->control().stats().groups, 0U) << "the server knows the scripts from here on";
  constexpr int groups = 950;
  std::vector<std::string> names;
  for (int i = 0; i < groups; ++i) names.push_back("g" + std::to_string(i));
  std::vector<Publication<Bytes>> batch;
  for (const auto& name : names) batch.push_back({name, name, 0});
  queue->publish_batch(batch);
  EXPECT_EQ(queue->claim_batch(groups, "w", seconds(1)).size(), std::size_t{groups});
  clock->advance(seconds(2));
  Raw raw(own);
  const auto before = raw.info("commandstats", "cmdstat_evalsha:calls=");
  const auto stats = queue->control().stats();
  EXPECT_EQ(stats.dead, std::uint64_t{groups});
  EXPECT_EQ(stats.dead_lettered, std::uint64_t{groups});
  EXPECT_EQ(stats.groups, 0U);
  // Ten of a hundred at most, and what tells the age of the oldest.
  EXPECT_EQ(raw.info("commandstats", "cmdstat_evalsha:calls=") - before, 11U);
}

TEST_F(RedisTest, AChangedRotationKeepsEveryGroup) {
  clock->advance(seconds(1));
  const auto queue = open();
  for (const char* const group : {"a", "b", "c"}) {
    queue->publish(group, group);
    queue->publish(group, group);
  }
  EXPECT_EQ(queue->ack(*queue->claim("w", seconds(30))), Settled::done);
  clock->advance(seconds(1));
  auto changed = options;
  changed.change_options = true;
  // In line as they would have been claimed; then, all claimed at one instant, by age.
  for (const auto& [rotation, turns] : {std::pair(Rotation::ready_order, "b c a "),
                                        std::pair(Rotation::oldest_claim_first, "a b c ")}) {
    changed.queue = {.rotation = rotation};
    const auto opened = open_redis(changed);
    std::string order;
    for (const auto& lease : opened->claim_batch(5, "w", seconds(30))) {
      order += lease.event() + " ";
      EXPECT_EQ(opened->nack(lease), Settled::done);
    }
    EXPECT_EQ(order, turns);
  }
}

}  // namespace
}  // namespace fairlane::redis
