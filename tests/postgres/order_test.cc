// Order, ties, places and names where the tables could get them wrong.
#include <limits>
#include <vector>

#include "postgres_fixture.h"

namespace fairlane::postgres {
namespace {

using std::chrono::seconds;

class PostgresOrderTest : public PostgresTest {
 protected:
  static std::string order_of(Transport<Bytes>& transport, std::size_t n, std::int32_t floor = 0) {
    std::string order;
    for (std::size_t i = 0; i < n; ++i) {
      const auto lease = transport.claim("w", seconds(30), floor);
      order += lease ? lease->event() : "-";
    }
    return order;
  }
};

TEST_F(PostgresOrderTest, ANackKeepsThePlaceThatTheClaimGave) {
  for (const auto rotation : {Rotation::oldest_claim_first, Rotation::ready_order}) {
    auto mine = options();
    mine.queue_name = test::fresh_name();
    mine.queue = {.rotation = rotation};
    const auto transport = open_postgres(mine);
    for (const char* const group : {"a", "b", "c"}) transport->publish(group, group);
    const auto a = transport->claim("w", seconds(30));
    clock->advance(seconds(1));
    const auto b = transport->claim("w", seconds(30));
    EXPECT_EQ(transport->nack(*b), Settled::done);
    EXPECT_EQ(transport->nack(*a), Settled::done);
    EXPECT_EQ(order_of(*transport, 3), "cab");
  }
}

TEST_F(PostgresOrderTest, PrioritiesAreNotClamped) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  const auto transport = open();
  transport->publish("low", "l", least);
  transport->publish("high", "h", most);
  transport->publish("middle", "m", 0);
  EXPECT_EQ(transport->control().inspect("low").priority, least);
  EXPECT_EQ(transport->control().inspect("high").priority, most);
  EXPECT_EQ(order_of(*transport, 2, most), "h-");
  EXPECT_EQ(order_of(*transport, 3, least), "lm-");
  std::vector<Publication<Bytes>> batch = {{"x", "x", least}, {"y", "y", most}};
  transport->publish_batch(batch);
  const auto leases = transport->claim_batch(5, "w", seconds(30), least);
  ASSERT_EQ(leases.size(), 2U);
  EXPECT_EQ(leases[0].event() + leases[1].event(), "xy");
}

TEST_F(PostgresOrderTest, EqualInstantsFallBackToTheSeqOfTheHead) {
  const auto transport = open();
  for (const char* const group : {"d", "b", "a", "c"}) {
    transport->publish(group, std::string(group) + "1");
    transport->publish(group, std::string(group) + "2");
  }
  const auto leases = transport->claim_batch(4, "w", seconds(30));
  for (auto it = leases.rbegin(); it != leases.rend(); ++it) {
    EXPECT_EQ(transport->ack(*it), Settled::done);
  }
  EXPECT_EQ(order_of(*transport, 5), "d2b2a2c2-");
}

TEST_F(PostgresOrderTest, ADeepGroupAndManyLowOnesHideNoOther) {
  const auto transport = open();
  std::vector<Publication<Bytes>> batch;
  std::vector<std::string> names;
  for (int i = 0; i < 1500; ++i) names.push_back("low" + std::to_string(i));
  for (const auto& name : names) batch.push_back({name, "l", -1});
  for (int i = 0; i < 1500; ++i) batch.push_back({"deep", "d", 0});
  batch.push_back({"behind", "b", 0});
  transport->publish_batch(batch);
  EXPECT_EQ(order_of(*transport, 3), "db-");
}

TEST_F(PostgresOrderTest, ManyExhaustedLeasesDieTogether) {
  auto strict = options();
  strict.queue = {.max_attempts = 1, .max_messages = 1000};
  const auto transport = open_postgres(strict);
  std::vector<std::string> names;
  for (int i = 0; i < 350; ++i) names.push_back("g" + std::to_string(i));
  std::vector<Publication<Bytes>> batch;
  for (const auto& name : names) {
    batch.push_back({name, "first", 0});
    batch.push_back({name, "second", 0});
  }
  transport->publish_batch(batch);
  const auto leases = transport->claim_batch(350, "w", seconds(10));
  ASSERT_EQ(leases.size(), 350U);
  clock->advance(seconds(10));
  EXPECT_EQ(transport->control().stats().leased, 350U);
  clock->advance(std::chrono::nanoseconds(1));
  const auto next = transport->claim("w", seconds(10));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->event(), "second");
  const auto stats = transport->control().stats();
  EXPECT_EQ(stats.dead, 350U);
  EXPECT_EQ(stats.dead_lettered, 350U);
  EXPECT_EQ(stats.ready + stats.leased, 350U);
  EXPECT_EQ(transport->ack(leases[0]), Settled::stale);
  batch.resize(650);
  EXPECT_NO_THROW(transport->publish_batch(batch)) << "the dead made room";
  EXPECT_EQ(error_of([&] { transport->publish("g", "over"); }), ErrorCode::full);
}

TEST_F(PostgresOrderTest, ALeaseGivenTwiceInABatchIsDoneOnce) {
  const auto transport = open();
  transport->publish("a", "1");
  transport->publish("a", "2");
  transport->publish("b", "3");
  const auto a = transport->claim("w", seconds(30));
  const auto b = transport->claim("w", seconds(30));
  const std::vector<Lease<Bytes>> leases = {*a, *b, *a, *b, *a};
  const auto settled = transport->ack_batch(leases);
  EXPECT_EQ(settled, (std::vector{Settled::done, Settled::done, Settled::stale, Settled::stale,
                                  Settled::stale}));
  EXPECT_EQ(transport->control().inspect("a").messages, 1U);
}

TEST_F(PostgresOrderTest, NamesAndEventsAreAnyBytes) {
  const std::vector<std::string> hostile = {
      "",
      "'; DROP SCHEMA fairlane CASCADE; --",
      std::string("nul\0in the middle\0", 18),
      "back\\slash \\x41 \\\\",
      "{a,\"b\",NULL}",
      std::string(1024, '\xff'),
      "\xc3\x28 no UTF-8",
      "$1 %s \n\r\t\"",
  };
  for (const auto& name : hostile) {
    auto mine = options();
    mine.queue_name = queue + name.substr(0, 900);
    const auto transport = open_postgres(mine);
    for (const auto& group : hostile) transport->publish(group, group + "!", 3);
    for (const auto& group : hostile) {
      EXPECT_EQ(transport->control().peek(group, 1).at(0).event.operator*(), group + "!");
      EXPECT_EQ(transport->control().inspect(group).priority, 3);
    }
    auto leases = transport->claim_batch(20, name, seconds(30));
    ASSERT_EQ(leases.size(), hostile.size());
    for (std::size_t i = 0; i < leases.size(); ++i) {
      EXPECT_EQ(leases[i].group_id(), hostile[i]);
      EXPECT_EQ(leases[i].event(), hostile[i] + "!");
      EXPECT_EQ(transport->control().inspect(hostile[i]).worker_id, name);
      EXPECT_EQ(transport->reject(leases[i], name), Settled::done);
    }
    EXPECT_EQ(transport->control().dead_letters(1).at(0).reason, name);
  }
}

TEST_F(PostgresOrderTest, TheOldestClaimIsFirstAcrossPriorities) {
  const auto transport = open();
  for (int priority = 0; priority < 6; ++priority) {
    const std::string group(1, static_cast<char>('f' - priority));
    transport->publish(group, group, priority);
    clock->advance(seconds(1));
  }
  EXPECT_EQ(order_of(*transport, 6), "fedcba");
}

}  // namespace
}  // namespace fairlane::postgres
