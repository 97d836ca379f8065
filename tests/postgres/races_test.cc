// What happens between the statements of one call while another one works on the same group.
#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "postgres_fixture.h"
#include "support/seed.h"

namespace fairlane::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresRaceTest : public PostgresTest {
 protected:
  std::string publish_sql(const std::string& group, const std::string& event) const {
    return "SELECT fairlane.publish('" + queue + "', '" + group + "'::bytea, '" + event +
           "'::bytea)";
  }
};

TEST_F(PostgresRaceTest, AnAckThatWouldDrainTheGroupWaitsForWhoPublishesIntoIt) {
  const auto transport = open();
  transport->publish("g", "1", 7);
  const auto lease = transport->claim("w", seconds(30));
  Session publisher;
  publisher.run("BEGIN");
  publisher.run(publish_sql("g", "2"));
  auto acked = std::async(std::launch::async, [&] { return transport->ack(*lease); });
  EXPECT_EQ(acked.wait_for(milliseconds(200)), std::future_status::timeout);
  publisher.run("COMMIT");
  EXPECT_EQ(acked.get(), Settled::done);
  const auto info = transport->control().inspect("g");
  EXPECT_EQ(info.messages, 1U);
  EXPECT_EQ(info.priority, 7) << "it never was absent";
  const auto next = transport->claim("w", seconds(30));
  ASSERT_TRUE(next) << "a group that holds a message is not lost";
  EXPECT_EQ(next->event(), "2");
}

TEST_F(PostgresRaceTest, AnAckDrainsTheGroupWhenWhoPublishedIntoItRollsBack) {
  const auto transport = open();
  transport->publish("g", "1", 7);
  const auto lease = transport->claim("w", seconds(30));
  Session publisher;
  publisher.run("BEGIN");
  publisher.run(publish_sql("g", "2"));
  auto acked = std::async(std::launch::async, [&] { return transport->ack(*lease); });
  EXPECT_EQ(acked.wait_for(milliseconds(100)), std::future_status::timeout);
  publisher.run("ROLLBACK");
  EXPECT_EQ(acked.get(), Settled::done);
  EXPECT_EQ(transport->control().inspect("g").state, GroupState::absent);
  transport->publish("g", "3", 1);
  EXPECT_EQ(transport->control().inspect("g").priority, 1) << "its next publish starts it anew";
}

TEST_F(PostgresRaceTest, APublishIntoAGroupThatIsBeingDrainedStartsItAnew) {
  const auto transport = open();
  transport->publish("g", "1", 7);
  const auto lease = transport->claim("w", seconds(30));
  Session drainer;
  drainer.run("BEGIN");
  drainer.run("SELECT settled FROM fairlane.call_work(" + id_of(queue) + ", '{g}', '{" +
              std::to_string(lease->fence()) + "}', 0, '', 0, 0, false, 1000000000)");
  auto seq = std::async(std::launch::async, [&] { return transport->publish("g", "2", 3); });
  EXPECT_EQ(seq.wait_for(milliseconds(100)), std::future_status::timeout);
  drainer.run("COMMIT");
  EXPECT_EQ(seq.get(), 2U);
  const auto info = transport->control().inspect("g");
  EXPECT_EQ(info.priority, 3);
  EXPECT_EQ(info.last_claimed_at, Instant());
}

TEST_F(PostgresRaceTest, ALongTransactionThatPublishesHoldsUpNoClaim) {
  const auto transport = open();
  transport->publish("g", "1");
  transport->publish("g", "2");
  Session publisher;
  publisher.run("BEGIN");
  publisher.run(publish_sql("g", "3"));
  const auto lease = transport->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(transport->extend(*lease, seconds(30)), Settled::done);
  EXPECT_EQ(transport->ack(*lease), Settled::done) << "another message is there";
  const auto next = transport->claim("w", seconds(30));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->event(), "2");
  publisher.run("COMMIT");
}

TEST_F(PostgresRaceTest, PublishersOfAGroupCommitInTheOrderOfTheirSeqs) {
  const auto transport = open();
  Session first;
  Session second;
  first.run("BEGIN");
  const auto one = first.run(publish_sql("g", "1"));
  second.start(publish_sql("g", "2"));
  second.await_waiting();
  first.run("COMMIT");
  EXPECT_LT(std::stoull(one), std::stoull(second.finish()));
  EXPECT_EQ(transport->claim("w", seconds(30))->event(), "1");
}

TEST_F(PostgresRaceTest, AClaimWaitsForOneThatMayBeUndoneRatherThanAnswerNothing) {
  const auto transport = open();
  transport->publish("g", "1");
  Session other;
  other.run("BEGIN");
  other.run("SELECT seqs FROM fairlane.call_work(" + id_of(queue) +
            ", '{}', '{}', 1, 'w', 1000000000, 0, false, 1000000000)");
  auto claimed = std::async(std::launch::async, [&] { return transport->claim("w", seconds(9)); });
  EXPECT_EQ(claimed.wait_for(milliseconds(100)), std::future_status::timeout);
  other.run("ROLLBACK");
  const auto lease = claimed.get();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 1U);
}

TEST_F(PostgresRaceTest, ConcurrentClaimsTakeDifferentGroupsWithoutWaiting) {
  const auto transport = open();
  transport->publish("a", "1");
  transport->publish("b", "2");
  Session other;
  other.run("BEGIN");
  other.run("SELECT seqs FROM fairlane.call_work(" + id_of(queue) +
            ", '{}', '{}', 1, 'w', 1000000000, 0, false, 1000000000)");
  const auto lease = transport->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "2");
  other.run("COMMIT");
  EXPECT_FALSE(transport->claim("w", seconds(30)));
}

TEST_F(PostgresRaceTest, HoweverManyOthersClaimNowTheNextIsFound) {
  const auto transport = open();
  for (int i = 10; i < 60; ++i) transport->publish(std::to_string(i), "e");
  Session other;
  other.run("BEGIN");
  // More than one look takes in.
  other.run("SELECT seqs FROM fairlane.call_work(" + id_of(queue) +
            ", '{}', '{}', 40, 'w', 1000000000, 0, false, 1000000000)");
  const auto lease = transport->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->group_id(), "50") << "the first that nobody claims";
  other.run("ROLLBACK");
  EXPECT_EQ(transport->claim("w", seconds(30))->group_id(), "10");
}

TEST_F(PostgresRaceTest, AClaimDuringALapseThatAnotherRecordsWaitsForIt) {
  const auto transport = open();
  transport->publish("g", "1");
  EXPECT_TRUE(transport->claim("dies", seconds(1)));
  clock->advance(seconds(2));
  Session other;
  other.run("BEGIN");
  other.run("SELECT l.lapsed FROM fairlane.queue q, fairlane.lapse(q, 3000000001) l WHERE q.id = " +
            id_of(queue));
  auto claimed = std::async(std::launch::async, [&] { return transport->claim("w", seconds(9)); });
  EXPECT_EQ(claimed.wait_for(milliseconds(100)), std::future_status::timeout);
  other.run("COMMIT");
  ASSERT_TRUE(claimed.get()) << "it was claimable all the time";
}

TEST_F(PostgresRaceTest, ASuspensionHoldsForAGroupThatIsJustBeingMade) {
  const auto transport = open();
  Session publisher;
  publisher.run("BEGIN");
  publisher.run(publish_sql("g", "1"));
  auto suspended = std::async(std::launch::async, [&] { transport->control().suspend("g"); });
  EXPECT_EQ(suspended.wait_for(milliseconds(100)), std::future_status::timeout);
  publisher.run("COMMIT");
  suspended.get();
  EXPECT_FALSE(transport->claim("w", seconds(30)));
  EXPECT_EQ(transport->control().inspect("g").state, GroupState::suspended);
}

TEST_F(PostgresRaceTest, SuspendAndResumeDoNotDeadlockWithDeathsThatSuspend) {
  auto strict = options();
  strict.queue = {.when_exhausted = WhenExhausted::suspend_group, .max_attempts = 1};
  const auto transport = open_postgres(strict);
  transport->publish("g", "1");
  std::atomic<bool> over{false};
  std::thread resumer([&] {
    while (!over) transport->control().resume("g");
  });
  for (int i = 0; i < 300; ++i) {
    if (const auto lease = transport->claim("w", seconds(30))) {
      EXPECT_EQ(transport->nack(*lease), Settled::done);
    }
  }
  over = true;
  resumer.join();
  EXPECT_EQ(transport->control().inspect("g").messages, 1U);
}

TEST_F(PostgresRaceTest, WithTwoItemsAndThreeClaimersOneAloneFindsNothing) {
  for (int round = 0; round < 60; ++round) {
    const auto transport = open_by_server_clock();
    transport->publish("a" + std::to_string(round), "1");
    transport->publish("b" + std::to_string(round), "2");
    std::vector<std::future<std::optional<Lease<Bytes>>>> claims;
    for (int i = 0; i < 3; ++i) {
      claims.push_back(
          std::async(std::launch::async, [&] { return transport->claim("w", seconds(60)); }));
    }
    std::set<std::string> got;
    for (auto& each : claims) {
      if (const auto lease = each.get()) got.insert(lease->event());
    }
    EXPECT_EQ(got.size(), 2U) << "round " << round;
  }
}

/// FAIRLANE_POSTGRES_SECONDS: for how long (5).
TEST_F(PostgresRaceTest, TwoPublishersAndThreeWorkersLoseAndInventNothing) {
  const auto length = test::count_from_environment("FAIRLANE_POSTGRES_SECONDS", 5);
  const auto end = std::chrono::steady_clock::now() + seconds(length);
  constexpr int groups = 3;  // Few and shallow: they drain all the time.
  std::vector<std::unique_ptr<Transport<Bytes>>> opened;
  for (int i = 0; i < 5; ++i) opened.push_back(open_by_server_clock());
  std::atomic<int> publishing{2};
  std::vector<int> published(2 * groups);
  std::mutex mutex;
  std::map<std::string, std::vector<int>> handled;
  std::vector<std::thread> threads;
  for (int p = 0; p < 2; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
        const int group = i % groups;
        const std::string event = std::to_string(p) + std::to_string(group);
        const int number = published[static_cast<std::size_t>(p * groups + group)]++;
        opened[static_cast<std::size_t>(p)]->publish("g" + std::to_string(group),
                                                     event + ":" + std::to_string(number));
      }
      --publishing;
    });
  }
  for (int w = 2; w < 5; ++w) {
    threads.emplace_back([&, w] {
      auto& transport = *opened[static_cast<std::size_t>(w)];
      std::optional<Lease<Bytes>> lease;
      for (;;) {
        if (!lease) lease = transport.claim("w", seconds(300));
        if (!lease && publishing == 0) break;
        if (!lease) continue;
        {
          const std::lock_guard lock(mutex);
          const auto& event = lease->event();
          handled[event.substr(0, 2)].push_back(std::stoi(event.substr(3)));
        }
        auto both = transport.ack_claim(*lease, "w", seconds(300));
        ASSERT_EQ(both.settled, Settled::done);
        lease = std::move(both.lease);
      }
    });
  }
  for (auto& each : threads) each.join();
  const auto stats = opened[0]->control().stats();
  EXPECT_EQ(stats.groups, 0U) << "nothing is left behind";
  int total = 0;
  for (int p = 0; p < 2; ++p) {
    for (int group = 0; group < groups; ++group) {
      const int count = published[static_cast<std::size_t>(p * groups + group)];
      const auto& numbers = handled[std::to_string(p) + std::to_string(group)];
      ASSERT_EQ(numbers.size(), static_cast<std::size_t>(count));
      EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end())) << "first in, first out";
      total += count;
    }
  }
  EXPECT_GT(total, 100);
  EXPECT_EQ(Session().run("SELECT count(*) FROM fairlane.message m WHERE NOT EXISTS (SELECT FROM "
                          "fairlane.active_group a WHERE a.key = m.group_key) AND m.seq <= 0"),
            "0");
}

TEST_F(PostgresRaceTest, ABatchOverAThousandGroupsAndSinglePublishersDoNotHarmEachOther) {
  const auto transport = open_by_server_clock();
  std::atomic<bool> over{false};
  std::atomic<int> singles{0};
  std::vector<std::thread> publishers;
  for (int p = 0; p < 2; ++p) {
    publishers.emplace_back([&, p] {
      for (int i = p; !over; i += 7, ++singles) {
        transport->publish("g" + std::to_string(i % 1200), "s");
      }
    });
  }
  constexpr int batches = 4;
  for (int b = 0; b < batches; ++b) {
    std::vector<Publication<Bytes>> batch;
    for (int i = 0; i < 1200; ++i) batch.push_back({"", "b" + std::to_string(i), 0});
    std::vector<std::string> names;
    for (int i = 0; i < 1200; ++i) names.push_back("g" + std::to_string((i * 7) % 1200));
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i].group_id = names[i];
    const auto seqs = transport->publish_batch(batch);
    ASSERT_EQ(seqs.size(), batch.size());
    EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end()));
  }
  over = true;
  for (auto& each : publishers) each.join();
  const auto stats = transport->control().stats();
  EXPECT_EQ(stats.groups, 1200U);
  EXPECT_EQ(stats.ready + stats.waiting,
            static_cast<std::uint64_t>(batches * 1200 + singles.load()));
}

TEST_F(PostgresRaceTest, BatchesInOppositeOrdersDoNotDeadlock) {
  const auto transport = open_by_server_clock();
  std::vector<std::thread> publishers;
  for (int p = 0; p < 3; ++p) {
    publishers.emplace_back([&, p] {
      std::vector<std::string> names;
      for (int i = 0; i < 40; ++i) names.push_back("g" + std::to_string(p == 1 ? 39 - i : i));
      for (int round = 0; round < 20; ++round) {
        std::vector<Publication<Bytes>> batch;
        for (const auto& name : names) batch.push_back({name, "e", 0});
        transport->publish_batch(batch);
        const auto leases = transport->claim_batch(20, "w", seconds(60));
        if (!leases.empty()) {
          for (const auto settled : transport->ack_batch(leases)) {
            EXPECT_EQ(settled, Settled::done);
          }
        }
      }
    });
  }
  for (auto& each : publishers) each.join();
}

}  // namespace
}  // namespace fairlane::postgres
