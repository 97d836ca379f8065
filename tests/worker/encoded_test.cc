#include "fairlane/encoded.h"

#include "worker_fixture.h"

namespace fairlane {
namespace {

struct NumberCodec {
  Bytes encode(int number) const {
    if (number < 0) throw std::domain_error("negative");
    return std::to_string(number);
  }
  int decode(std::string_view bytes) const { return std::stoi(std::string(bytes)); }
};
static_assert(Codec<NumberCodec, int>);
static_assert(!Codec<int, int>);

class EncodedTest : public ::testing::Test {
 protected:
  EncodedTest() {
    auto owned = std::make_unique<InMemoryTransport<Bytes>>(InMemoryOptions<Bytes>{.clock = clock});
    bytes = owned.get();
    numbers = std::make_unique<Encoded<int, NumberCodec>>(std::move(owned));
  }
  std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  InMemoryTransport<Bytes>* bytes = nullptr;
  std::unique_ptr<Transport<int>> numbers;
};

TEST_F(EncodedTest, DeliversWhatWasPublishedAndSettlesGoThrough) {
  EXPECT_EQ(numbers->publish("a", 41), 1);
  const auto lease = numbers->claim("w", 1s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), 41);
  EXPECT_EQ(lease->group_id(), "a");
  EXPECT_EQ(numbers->extend(*lease, 5s), Settled::done);
  EXPECT_EQ(numbers->ack(*lease), Settled::done);
  EXPECT_EQ(numbers->ack(*lease), Settled::stale);
}

TEST_F(EncodedTest, NackReleaseRejectAndTheBatchesGoThrough) {
  std::vector<Publication<int>> batch{{"a", 1}, {"b", 2}, {"c", 3}};
  EXPECT_EQ(numbers->publish_batch(batch), (std::vector<std::uint64_t>{1, 2, 3}));
  auto leases = numbers->claim_batch(5, "w", 1s);
  ASSERT_EQ(leases.size(), 3);
  EXPECT_EQ(numbers->nack(leases[0], 2s), Settled::done);
  EXPECT_EQ(numbers->release(leases[1]), Settled::done);
  EXPECT_EQ(numbers->reject(leases[2], "no"), Settled::done);
  EXPECT_EQ(numbers->ack_batch(leases), std::vector<Settled>(3, Settled::stale));
  EXPECT_EQ(numbers->control().inspect("a").state, GroupState::parked);
  EXPECT_EQ(*numbers->control().dead_letters(1)[0].event, 3);
  const auto next = numbers->ack_claim(leases[0], "w", 1s);
  EXPECT_EQ(next.settled, Settled::stale);
  ASSERT_TRUE(next.lease);
  EXPECT_EQ(next.lease->event(), 2);
}

TEST_F(EncodedTest, AnUndecodableMessageIsADeadLetterAndTheClaimGoesOn) {
  for (const char* group : {"a", "b", "c", "d", "e", "f"}) {
    const std::string name = group;
    const bool good = name == "b" || name == "d" || name == "f";
    bytes->publish(name, std::string(good ? "7" : "rubbish"));
  }
  const auto first = numbers->claim("w", 1s);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->group_id(), "b");
  const auto second = numbers->ack_claim(*first, "w", 1s);
  EXPECT_EQ(second.settled, Settled::done);
  ASSERT_TRUE(second.lease);
  EXPECT_EQ(second.lease->group_id(), "d");
  const auto third = numbers->claim_batch(1, "w", 1s);
  ASSERT_EQ(third.size(), 1);
  EXPECT_EQ(third[0].group_id(), "f");
  const auto letters = numbers->control().dead_letters(10);
  ASSERT_EQ(letters.size(), 3);
  for (const auto& letter : letters) {
    EXPECT_TRUE(letter.reason.starts_with("undecodable: ")) << letter.reason;
    EXPECT_FALSE(letter.event);
  }
}

TEST_F(EncodedTest, AWaitingClaimGoesOnWaitingAfterAnUndecodableMessage) {
  std::optional<Lease<int>> got;
  std::jthread waiter([&] { got = numbers->claim_wait("w", 1s); });
  clock->wait_for_sleepers(1);
  bytes->publish("a", std::string("rubbish"));
  bytes->publish("a", std::string("9"));
  waiter.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->event(), 9);
}

TEST_F(EncodedTest, AWaitingClaimKeepsItsTimeout) {
  std::jthread waiter([&] { EXPECT_FALSE(numbers->claim_wait("w", 1s, 0, 10s)); });
  clock->wait_for_sleepers(1);
  clock->advance(6s);
  bytes->publish("a", std::string("rubbish"));
  while (numbers->control().stats().dead == 0) std::this_thread::yield();
  clock->wait_for_sleepers(1);
  clock->advance(4s);
}

TEST_F(EncodedTest, WhatEncodeThrowsGoesToThePublisherAndABatchIsAllOrNothing) {
  EXPECT_THROW(numbers->publish("a", -1), std::domain_error);
  std::vector<Publication<int>> batch{{"a", 1}, {"b", -2}};
  EXPECT_THROW(numbers->publish_batch(batch), std::domain_error);
  EXPECT_EQ(batch[0].event, 1);
  EXPECT_EQ(numbers->control().stats().published, 0);
}

TEST_F(EncodedTest, TheControlPlaneIsThatOfTheTransportWithin) {
  numbers->publish("a", 1);
  bytes->publish("a", std::string("rubbish"));
  auto& control = numbers->control();
  const auto messages = control.peek("a", 9);
  ASSERT_EQ(messages.size(), 2);
  EXPECT_EQ(*messages[0].event, 1);
  EXPECT_FALSE(messages[1].event);
  EXPECT_EQ(control.cancel("a", 5).dropped, 2);
  control.suspend("a");
  EXPECT_FALSE(numbers->claim("w", 1s));
  EXPECT_EQ(control.groups({.suspended = true}), std::vector<std::string>{"a"});
  control.resume("a");
  const auto lease = numbers->claim("w", 1s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(numbers->reject(*lease), Settled::done);
  EXPECT_EQ(control.redrive(lease->seq()), 4);
  EXPECT_EQ(control.terminate("a"), 1);
  EXPECT_THROW(control.drop_dead(77), TransportError);
  EXPECT_EQ(numbers->clock(), bytes->clock());
  numbers->close();
  EXPECT_FALSE(numbers->claim_wait("w", 1s));
}

}  // namespace
}  // namespace fairlane
