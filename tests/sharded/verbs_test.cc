// Each verb over several shards: what is kept where, what goes round, what a lease is good for.
#include <map>
#include <set>
#include <stdexcept>

#include "sharded_fixture.h"

namespace fairlane::sharded {
namespace {

TEST_F(ShardedTest, AGroupIsKeptOnItsShardAndItsSeqsOnlyGrow) {
  std::map<std::string, std::uint64_t> latest;
  for (int i = 0; i < 600; ++i) {
    const std::string group = "g" + std::to_string(i % 40);
    const auto seq = queue->publish(group, "e");
    EXPECT_GT(seq, latest[group]);
    EXPECT_EQ(seq / seq_of(1, 0), shard_of(group, numbers));
    latest[group] = seq;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (const auto& group : stores[i]->control().groups({.limit = 100})) {
      EXPECT_EQ(shard_of(group, numbers), numbers[i]);
    }
  }
  EXPECT_EQ(queue->control().stats().groups, 40U);
}

TEST_F(ShardedTest, ClaimsGoRoundTheShards) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    for (std::size_t nth = 0; nth < 3; ++nth) queue->publish(group_on(shard, nth), "e");
  }
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 9; ++i) order.push_back(shard_of(take().group_id(), numbers));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 7, 0, 1, 7, 0, 1, 7}));
  EXPECT_FALSE(claim());
}

TEST_F(ShardedTest, ClaimsSkipShardsThatHaveNothing) {
  queue->publish(group_on(2), "only");
  EXPECT_EQ(take().event(), "only");
  EXPECT_FALSE(claim());
  queue->publish(group_on(0), "low", -1);
  EXPECT_FALSE(claim());
  EXPECT_TRUE(claim(-1));
}

TEST_F(ShardedTest, ABatchOfClaimsTakesFromSeveralShards) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    for (std::size_t nth = 0; nth < 2; ++nth) queue->publish(group_on(shard, nth), "e");
  }
  std::set<std::string> groups;
  const auto first = queue->claim_batch(5, "w", seconds(30));
  ASSERT_EQ(first.size(), 5U);
  for (const auto& lease : first) groups.emplace(lease.group_id());
  const auto rest = queue->claim_batch(5, "w", seconds(30));
  ASSERT_EQ(rest.size(), 1U);
  groups.emplace(rest[0].group_id());
  EXPECT_EQ(groups.size(), 6U);
  EXPECT_TRUE(queue->claim_batch(0, "w", seconds(30)).empty());
}

TEST_F(ShardedTest, ALeaseIsGoodInAnyTransportOfTheSameShards) {
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  const auto one = take();
  const auto two = take();
  const auto three = take();
  const auto other = around_the_stores({});
  EXPECT_EQ(other->extend(one, seconds(60)), Settled::done);
  EXPECT_EQ(other->ack(one), Settled::done);
  EXPECT_EQ(queue->ack(one), Settled::stale);
  EXPECT_EQ(other->nack(two), Settled::done);
  EXPECT_EQ(other->reject(three, "why"), Settled::done);
  EXPECT_EQ(other->control().dead_letters(10).at(0).seq, three.seq());
}

TEST_F(ShardedTest, ALeaseOfAnotherStoreIsAWrongArgument) {
  queue->publish(group_on(0), "e");
  queue->publish(group_on(1), "e");
  const auto mine = take();
  const auto second = take();
  const auto expect_refused = [&](Transport<Bytes>& transport, const Lease<Bytes>& lease) {
    EXPECT_THROW((void)transport.ack(lease), std::invalid_argument);
    EXPECT_THROW((void)transport.nack(lease), std::invalid_argument);
    EXPECT_THROW((void)transport.extend(lease, seconds(1)), std::invalid_argument);
    EXPECT_THROW((void)transport.release(lease), std::invalid_argument);
    EXPECT_THROW((void)transport.reject(lease), std::invalid_argument);
    EXPECT_THROW((void)transport.ack_claim(lease, "w", seconds(1)), std::invalid_argument);
    EXPECT_THROW((void)transport.ack_batch(std::vector{lease}), std::invalid_argument);
  };
  // Of other shards with the same numbers and fences.
  const auto mine_stores = std::move(stores);
  const auto other = make({});
  other->publish(group_on(0), "e");
  other->publish(group_on(1), "e");
  const auto foreign = other->claim("w", seconds(30));
  expect_refused(*queue, *foreign);
  expect_refused(*other, mine);
  // Of a shard's own transport, and the other way round.
  stores[1]->publish("direct", "e");
  expect_refused(*other, *stores[1]->claim("w", seconds(30)));
  expect_refused(*mine_stores[0], mine);
  // In a batch nothing is acked then.
  for (const auto& batch : {std::vector{mine, *foreign}, std::vector{*foreign, second}}) {
    EXPECT_THROW(queue->ack_batch(batch), std::invalid_argument);
  }
  EXPECT_EQ(queue->ack_batch(std::vector{second, mine}),
            (std::vector{Settled::done, Settled::done}));
}

TEST_F(ShardedTest, AForeignLeaseInABatchIsRefusedAlsoWhereItsShardIsNotKnownYet) {
  queue->publish(group_on(1), "e");
  const auto foreign = take();
  const auto old_stores = std::move(stores);
  const auto fresh = make({});
  fresh->publish(group_on(0), "e");
  const auto mine = fresh->claim("w", seconds(30));
  EXPECT_THROW(fresh->ack_batch(std::vector{*mine, foreign}), std::invalid_argument);
  EXPECT_EQ(fresh->ack(*mine), Settled::done);
}

TEST_F(ShardedTest, ABatchOfAcksIsAnsweredInTheCallersOrder) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    for (std::size_t nth = 0; nth < 2; ++nth) queue->publish(group_on(shard, nth), "e");
  }
  const auto leases = queue->claim_batch(6, "w", seconds(30));
  ASSERT_EQ(leases.size(), 6U);
  EXPECT_EQ(queue->ack(leases[1]), Settled::done);
  EXPECT_EQ(queue->ack(leases[4]), Settled::done);
  const std::vector shuffled{leases[4], leases[0], leases[5], leases[1], leases[3], leases[2]};
  EXPECT_EQ(queue->ack_batch(shuffled),
            (std::vector{Settled::stale, Settled::done, Settled::done, Settled::stale,
                         Settled::done, Settled::done}));
  EXPECT_TRUE(queue->ack_batch({}).empty());
  EXPECT_EQ(queue->control().stats().groups, 0U);
}

TEST_F(ShardedTest, AckClaimStaysOnItsShardThenGoesOn) {
  for (int i = 0; i < 100; ++i) {
    for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  }
  std::map<std::uint32_t, int> claims;
  auto lease = take();
  int longest = 0;
  int stay = 0;
  for (int i = 0; i < 299; ++i) {
    const auto before = shard_of(lease.group_id(), numbers);
    auto both = queue->ack_claim(lease, "w", seconds(30));
    EXPECT_EQ(both.settled, Settled::done);
    ASSERT_TRUE(both.lease) << i;
    lease = *both.lease;
    stay = shard_of(lease.group_id(), numbers) == before ? stay + 1 : 0;
    longest = std::max(longest, stay);
    ++claims[shard_of(lease.group_id(), numbers)];
  }
  EXPECT_EQ(longest, 15);
  EXPECT_EQ(claims.size(), 3U);
  const auto last = queue->ack_claim(lease, "w", seconds(30));
  EXPECT_EQ(last.settled, Settled::done);
  EXPECT_FALSE(last.lease);
  EXPECT_EQ(queue->ack_claim(lease, "w", seconds(30)).settled, Settled::stale);
}

TEST_F(ShardedTest, ABatchOverSeveralShardsIsRefusedWhole) {
  std::vector<Publication<Bytes>> batch{{group_on(1), "1"}, {group_on(1, 1), "2"}};
  EXPECT_EQ(queue->publish_batch(batch), (std::vector{seq_of(1, 1), seq_of(1, 2)}));
  batch = {{group_on(1), "3"}, {group_on(0), "4"}};
  EXPECT_THROW(queue->publish_batch(batch), std::invalid_argument);
  EXPECT_EQ(batch[0].event, "3");
  EXPECT_EQ(batch[1].event, "4");
  EXPECT_EQ(queue->control().stats().published, 2U);
  EXPECT_TRUE(queue->publish_batch({}).empty());
}

TEST_F(ShardedTest, ASplitBatchIsStoredByShards) {
  const auto split = make({.split_batches = true});
  std::vector<Publication<Bytes>> batch;
  for (const std::size_t i : {2U, 0U, 1U, 2U, 0U, 1U}) {
    batch.push_back({group_on(i), std::to_string(batch.size())});
  }
  EXPECT_EQ(split->publish_batch(batch), (std::vector{seq_of(2, 1), seq_of(0, 1), seq_of(1, 1),
                                                      seq_of(2, 2), seq_of(0, 2), seq_of(1, 2)}));
  const auto kept = split->control().peek(group_on(2), 10);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(*kept[0].event, "0");
  EXPECT_EQ(kept[1].seq, seq_of(2, 2));
}

TEST_F(ShardedTest, WrongArgumentsAreJudgedBeforeAnyShardIsAsked) {
  const std::string long_id(1025, 'x');
  EXPECT_THROW(queue->publish(long_id, "e"), std::invalid_argument);
  std::vector<Publication<Bytes>> batch{{"a", "1"}, {long_id, "2"}};
  EXPECT_THROW(queue->publish_batch(batch), std::invalid_argument);
  EXPECT_THROW(queue->claim("w", seconds(-1)), std::invalid_argument);
  EXPECT_THROW(queue->claim_wait("w", seconds(1), 0, seconds(-1)), std::invalid_argument);
  EXPECT_THROW(queue->control().suspend(long_id), std::invalid_argument);
  EXPECT_EQ(faulty[0]->calls(testing::Verb::claim), 0U);
}

}  // namespace
}  // namespace fairlane::sharded
