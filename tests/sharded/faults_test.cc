// A shard that fails stops nobody but those who need it.
#include "sharded_fixture.h"

namespace fairlane::sharded {
namespace {

using testing::Fault;
using testing::Verb;

TEST_F(ShardedTest, AnErrorNamesItsShard) {
  faulty[2]->set_plan(down());
  try {
    queue->publish(group_on(2), "e");
    FAIL() << "no error was raised";
  } catch (const TransportError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_FALSE(error.may_be_stored());
    EXPECT_NE(std::string(error.what()).find("shard 7: "), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(queue->publish(group_on(1), "e"));
}

TEST_F(ShardedTest, ClaimsGoOnWithoutAShardThatFails) {
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  faulty[1]->set_plan(down());
  EXPECT_TRUE(claim());
  EXPECT_TRUE(claim());
  EXPECT_FALSE(claim());
  EXPECT_FALSE(claim());
  EXPECT_EQ(faulty[1]->calls(Verb::claim), 1U) << "it is left alone for a while";
  faulty[1]->set_plan(nullptr);
  EXPECT_FALSE(claim());
  clock->advance(seconds(1));
  EXPECT_TRUE(claim());
}

TEST_F(ShardedTest, AClaimRaisesWhatTheyRaiseIfAllFail) {
  queue->publish(group_on(1), "e");
  for (auto* const way : faulty) way->set_plan(down());
  EXPECT_EQ(error_of([&] { claim(); }), ErrorCode::unavailable);
  EXPECT_EQ(error_of([&] { queue->claim_batch(3, "w", seconds(30)); }), ErrorCode::unavailable);
  EXPECT_EQ(error_of([&] { queue->claim_wait("w", seconds(30)); }), ErrorCode::unavailable);
  // Where none else answers, those that are left alone are asked after all.
  faulty[1]->set_plan(nullptr);
  EXPECT_TRUE(claim());
}

TEST_F(ShardedTest, ABatchOfClaimsKeepsWhatItHas) {
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  faulty[1]->set_plan(always(Verb::claim_batch, Fault::Kind::after));
  EXPECT_EQ(queue->claim_batch(3, "w", seconds(30)).size(), 2U);
}

TEST_F(ShardedTest, ABatchOfAcksIsTriedOnEveryShard) {
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "e");
  const auto leases = queue->claim_batch(3, "w", seconds(30));
  faulty[0]->set_plan(down());
  EXPECT_EQ(error_of([&] { queue->ack_batch(leases); }), ErrorCode::outcome_unknown);
  EXPECT_EQ(queue->control().stats().acked, 2U);
  EXPECT_EQ(error_of([&] { queue->ack_batch(std::vector{leases[0]}); }), ErrorCode::unavailable)
      << "nothing was acked";
  faulty[0]->set_plan(nullptr);
  EXPECT_EQ(queue->ack_batch(leases), (std::vector{Settled::done, Settled::stale, Settled::stale}));
}

TEST_F(ShardedTest, AnAckIsNotHiddenByAClaimThatFails) {
  queue->publish(group_on(0), "e");
  const auto lease = take();
  faulty[0]->set_plan(always(Verb::claim, Fault::Kind::before));
  faulty[1]->set_plan(down());
  faulty[2]->set_plan(down());
  const auto both = queue->ack_claim(lease, "w", seconds(30));
  EXPECT_EQ(both.settled, Settled::done);
  EXPECT_FALSE(both.lease);
}

TEST_F(ShardedTest, ASplitBatchThatFailsAtFirstIsAsIfNothingWas) {
  const auto split = make({.split_batches = true});
  std::vector<Publication<Bytes>> batch{{group_on(1), "1"}, {group_on(2), "2"}};
  faulty[1]->set_plan(down());
  EXPECT_EQ(error_of([&] { split->publish_batch(batch); }), ErrorCode::unavailable);
  EXPECT_EQ(batch[0].event, "1");
  EXPECT_EQ(batch[1].event, "2");
  EXPECT_EQ(split->control().stats().published, 0U);
}

TEST_F(ShardedTest, ASplitBatchThatFailsLaterMayBeStored) {
  const auto split = make({.split_batches = true}, {.max_messages = 1});
  split->publish(group_on(1), "fills it");
  std::vector<Publication<Bytes>> batch{{group_on(1), "1"}, {group_on(0), "0"}};
  try {
    split->publish_batch(batch);
    FAIL() << "no error was raised";
  } catch (const TransportError& error) {
    EXPECT_EQ(error.code(), ErrorCode::outcome_unknown);
    EXPECT_TRUE(error.may_be_stored());
  }
  EXPECT_EQ(split->control().stats().published, 2U);
  EXPECT_EQ(batch[0].event, "1") << "what is not stored is the caller's";
}

}  // namespace
}  // namespace fairlane::sharded
