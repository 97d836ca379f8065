// The control plane over several shards, and groups that are where they do not belong.
#include <algorithm>

#include "sharded_fixture.h"

namespace fairlane::sharded {
namespace {

TEST_F(ShardedTest, GroupsAreListedInByteOrder) {
  std::vector<std::string> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back("g" + std::to_string(i));
    queue->publish(all.back(), "e");
    if (i % 5 == 0) queue->control().suspend(all.back());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::string> listed;
  for (GroupQuery query{.limit = 7};;) {
    const auto page = queue->control().groups(query);
    if (page.empty()) break;
    EXPECT_LE(page.size(), 7U);
    listed.insert(listed.end(), page.begin(), page.end());
    query.after = listed.back();
  }
  EXPECT_EQ(listed, all);
  EXPECT_EQ(queue->control().groups({.suspended = true}).size(), 10U);
}

TEST_F(ShardedTest, ControlGoesToTheGroupsShard) {
  auto& control = queue->control();
  for (std::size_t shard = 0; shard < 3; ++shard) {
    const auto group = group_on(shard);
    queue->publish(group, "1");
    queue->publish(group, "2");
    control.suspend(group);
    EXPECT_EQ(stores[shard]->control().inspect(group).state, GroupState::suspended);
    EXPECT_EQ(control.inspect(group).state, GroupState::suspended);
    control.resume(group);
    EXPECT_EQ(control.peek(group, 1).at(0).seq, seq_of(shard, 1));
    const auto cancelled = control.cancel(group, "3");
    EXPECT_EQ(cancelled.dropped, 2U);
    EXPECT_EQ(cancelled.seq, seq_of(shard, 3));
    EXPECT_EQ(control.terminate(group), 1U);
    EXPECT_EQ(control.inspect(group).state, GroupState::absent);
  }
}

TEST_F(ShardedTest, StatsAreSums) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    queue->publish(group_on(shard), "1");
    queue->publish(group_on(shard), "2");
    clock->advance(seconds(10));
  }
  EXPECT_EQ(queue->ack(take()), Settled::done);
  EXPECT_EQ(queue->reject(take()), Settled::done);
  EXPECT_EQ(queue->ack(take()), Settled::done);
  const auto held = take();
  const auto stats = queue->control().stats();
  EXPECT_EQ(stats.groups, 3U);
  EXPECT_EQ(stats.published, 6U);
  EXPECT_EQ(stats.acked, 2U);
  EXPECT_EQ(stats.dead, 1U);
  EXPECT_EQ(stats.leased, 1U);
  EXPECT_EQ(stats.ready, 2U);
  EXPECT_EQ(stats.oldest_age, Duration(seconds(30)));
}

TEST_F(ShardedTest, DeadLettersAreNamedByShardAndSeq) {
  std::vector<std::uint64_t> seqs;
  for (int i = 0; i < 30; ++i) seqs.push_back(queue->publish("g" + std::to_string(i), "e"));
  while (const auto lease = claim()) EXPECT_EQ(queue->reject(*lease, "why"), Settled::done);
  std::sort(seqs.begin(), seqs.end());
  for (const std::size_t limit : {1U, 4U, 100U}) {
    std::vector<std::uint64_t> listed;
    std::uint64_t after = 0;
    for (;;) {
      const auto page = queue->control().dead_letters(limit, after);
      if (page.empty()) break;
      EXPECT_LE(page.size(), limit);
      for (const auto& letter : page) listed.push_back(letter.seq);
      after = listed.back();
    }
    EXPECT_EQ(listed, seqs) << limit;
  }
}

TEST_F(ShardedTest, DeadLettersAreDrivenAgainAndDropped) {
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  while (const auto lease = claim()) EXPECT_EQ(queue->reject(*lease), Settled::done);
  auto& control = queue->control();
  EXPECT_EQ(control.redrive(seq_of(2, 1)), seq_of(2, 2));
  EXPECT_EQ(take().group_id(), group_on(2));
  control.drop_dead(seq_of(1, 1));
  for (const auto seq : {seq_of(2, 1), seq_of(1, 1), seq_of(0, 0), seq_of(0, 2),
                         std::uint64_t{2'000'000'000'000'001}, ~std::uint64_t{0}}) {
    EXPECT_EQ(error_of([&] { control.redrive(seq); }), ErrorCode::not_found) << seq;
    EXPECT_EQ(error_of([&] { control.drop_dead(seq); }), ErrorCode::not_found) << seq;
  }
  EXPECT_EQ(control.dead_letters(10).size(), 1U);
}

// As when a shard was added before the old ones were drained.
TEST_F(ShardedTest, AMessageOnAShardThatIsNotItsGroupsIsRefusedAndHandedBack) {
  stores[0]->publish(group_on(1), "stray");
  queue->publish(group_on(2), "own");
  EXPECT_EQ(error_of([&] { claim(); }), ErrorCode::incompatible);
  EXPECT_EQ(stores[0]->control().inspect(group_on(1)).state, GroupState::ready);
  // Together with others it is left where it is, and they are the caller's.
  queue->publish(group_on(0), "own");
  EXPECT_EQ(queue->claim_batch(10, "w", seconds(30)).size(), 2U);
  EXPECT_EQ(error_of([&] { queue->claim_batch(10, "w", seconds(30)); }), ErrorCode::incompatible);
  EXPECT_EQ(error_of([&] { queue->claim_wait("w", seconds(30)); }), ErrorCode::incompatible);
  EXPECT_EQ(stores[0]->claim("w", seconds(30))->attempt(), 1U) << "no attempt was spent";
}

TEST_F(ShardedTest, ADeadLetterWhoseGroupHasMovedIsNotDrivenAgain) {
  stores[0]->publish(group_on(1), "stray");
  EXPECT_EQ(stores[0]->reject(*stores[0]->claim("w", seconds(30))), Settled::done);
  auto& control = queue->control();
  EXPECT_EQ(error_of([&] { control.redrive(seq_of(0, 1)); }), ErrorCode::incompatible);
  EXPECT_EQ(*control.dead_letters(10).at(0).event, "stray");
  control.drop_dead(seq_of(0, 1));
  EXPECT_TRUE(control.dead_letters(10).empty());
}

}  // namespace
}  // namespace fairlane::sharded
