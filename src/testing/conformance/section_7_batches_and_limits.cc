// Section 7: batches, ack_claim and limits.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

using Events = std::vector<std::string>;

ConformanceCases cases;

FAIRLANE_CASE(PublishBatchDoesAsTheSinglePublishesInThatOrder) {
  std::vector<Publication<Bytes>> batch;
  batch.push_back({"a", "a1", 2});
  batch.push_back({"b", "b1", 1});
  batch.push_back({"a", "a2", 9});
  EXPECT_EQ(store().publish_batch(batch), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(control().inspect("a").priority, 2);
  EXPECT_EQ(peeked("a"), (Events{"a1", "a2"}));
  EXPECT_EQ(claimed_events(), (Events{"a1", "b1"}));
}

FAIRLANE_CASE(AnEmptyBatchDoesNothing) {
  EXPECT_TRUE(store().publish_batch({}).empty());
  EXPECT_TRUE(store().ack_batch({}).empty());
  EXPECT_TRUE(store().claim_batch(0, "worker", 10s).empty());
}

FAIRLANE_CASE(PublishBatchIsAllOrNothingAndTheCallerKeepsTheEvents) {
  open({.max_messages = 2, .max_event_bytes = 100});
  const auto batch_of = [](std::size_t bytes, std::string last_group) {
    static std::string group;
    group = std::move(last_group);
    std::vector<Publication<Bytes>> batch;
    batch.push_back({"a", Bytes(90, 'x')});
    batch.push_back({"a", Bytes(90, 'y')});
    batch.push_back({group, Bytes(bytes, 'z')});
    return batch;
  };
  auto full = batch_of(90, "b");
  EXPECT_EQ(error_of([&] { store().publish_batch(full); }), ErrorCode::full);
  EXPECT_EQ(full[0].event, Bytes(90, 'x'));
  auto too_large = batch_of(101, "b");
  EXPECT_EQ(error_of([&] { store().publish_batch(too_large); }), ErrorCode::too_large);
  auto wrong = batch_of(101, std::string(1025, 'x'));
  EXPECT_THROW(store().publish_batch(wrong), std::invalid_argument);
  EXPECT_EQ(wrong[1].event, Bytes(90, 'y'));
  EXPECT_EQ(control().stats().published, 0u);
  EXPECT_EQ(publish("a"), 1u);
}

FAIRLANE_CASE(ClaimBatchTakesHeadsOfDifferentGroupsInTheOrderOfSingleClaims) {
  for (const char* group : {"b", "a", "c"}) {
    publish(group, std::string(group) + "1");
    publish(group, std::string(group) + "2");
  }
  const auto leases = store().claim_batch(2, "worker", Duration());
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].event(), "b1");
  EXPECT_EQ(leases[1].event(), "a1");
  EXPECT_EQ(leases[0].expires_at(), leases[1].expires_at());
  EXPECT_EQ(store().claim_batch(10, "worker", 10s).size(), 1u);
}

FAIRLANE_CASE(ClaimBatchKeepsTheFloor) {
  publish("a", "a1", 1);
  publish("b", "b1", 2);
  const auto leases = store().claim_batch(10, "worker", 10s, 2);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].event(), "b1");
}

FAIRLANE_CASE(AckBatchAnswersForEachLease) {
  for (const char* group : {"a", "b", "c"}) publish(group);
  auto leases = store().claim_batch(3, "worker", 10s);
  EXPECT_EQ(store().ack(leases[1]), Settled::done);
  leases.push_back(leases[0]);
  using enum Settled;
  EXPECT_EQ(store().ack_batch(leases), (std::vector<Settled>{done, stale, done, stale}));
  EXPECT_EQ(control().stats().groups, 0u);
}

FAIRLANE_CASE(AckClaimAcksAndThenClaims) {
  publish("a", "a1");
  publish("a", "a2");
  const auto both = store().ack_claim(take(), "next worker", 10s);
  EXPECT_EQ(both.settled, Settled::done);
  ASSERT_TRUE(both.lease);
  EXPECT_EQ(both.lease->event(), "a2");
  EXPECT_EQ(control().inspect("a").worker_id, "next worker");
  const auto last = store().ack_claim(*both.lease, "worker", 10s);
  EXPECT_EQ(last.settled, Settled::done);
  EXPECT_FALSE(last.lease);
}

FAIRLANE_CASE(AckClaimClaimsAlsoWhenTheAckIsStale) {
  publish("a", "a1");
  publish("b", "b1");
  const auto lease = take();
  EXPECT_EQ(control().terminate("a"), 1u);
  const auto both = store().ack_claim(lease, "worker", 10s);
  EXPECT_EQ(both.settled, Settled::stale);
  ASSERT_TRUE(both.lease);
  EXPECT_EQ(both.lease->event(), "b1");
}

FAIRLANE_CASE(AckClaimWithAWrongArgumentAcksNothing) {
  publish("a", "a1");
  const auto lease = take();
  EXPECT_THROW(static_cast<void>(store().ack_claim(lease, "w", -1ns)), std::invalid_argument);
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(MessagesInAllAreLimited) {
  open({.max_messages = 2});
  publish("a");
  publish("b");
  EXPECT_EQ(error_of([&] { publish("c"); }), ErrorCode::full);
  EXPECT_EQ(state("c"), GroupState::absent);
  EXPECT_EQ(store().ack(take()), Settled::done);
  publish("c");
}

FAIRLANE_CASE(MessagesOfAGroupAreLimited) {
  open({.max_group_messages = 2});
  publish("a");
  publish("a");
  EXPECT_EQ(error_of([&] { publish("a"); }), ErrorCode::full);
  publish("b");
}

FAIRLANE_CASE(BytesOfAnEventAreLimited) {
  open({.max_event_bytes = 3});
  publish("a", "123");
  EXPECT_EQ(error_of([&] { publish("a", "1234"); }), ErrorCode::too_large);
  EXPECT_EQ(error_of([&] { control().cancel("a", "1234"); }), ErrorCode::too_large);
  EXPECT_EQ(error_of([&] { static_cast<void>(store().publish_wait("a", "1234")); }),
            ErrorCode::too_large);
  EXPECT_EQ(peeked("a"), (Events{"123"}));
}

FAIRLANE_CASE(MessagesInFlightCountAgainstTheLimits) {
  open({.max_messages = 1});
  publish("a");
  const auto lease = take();
  EXPECT_EQ(error_of([&] { publish("a"); }), ErrorCode::full);
  EXPECT_EQ(store().nack(lease, 1h), Settled::done);
  EXPECT_EQ(error_of([&] { publish("a"); }), ErrorCode::full);
}

FAIRLANE_CASE(ADeathByTheClockMakesRoomAtItsInstant) {
  open({.max_attempts = 1, .max_messages = 1});
  publish("a");
  take(1s);
  advance(1s);
  EXPECT_EQ(error_of([&] { publish("b"); }), ErrorCode::full);
  advance(tick());
  publish("b");
}

FAIRLANE_CASE(ZeroIsNoLimit) {
  open({.max_messages = 0, .max_group_messages = 0, .max_event_bytes = 0});
  for (int i = 0; i < 1000; ++i) publish("a", std::string(1000, 'x'));
  EXPECT_EQ(control().inspect("a").messages, 1000u);
}

}  // namespace

const ConformanceCases& section_7_batches_and_limits() { return cases; }

}  // namespace fairlane::testing
