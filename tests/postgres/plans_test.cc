// No verb's cost grows with what a queue holds: every statement goes by an index, whether its plan
// was made while the tables were empty or full, and what ran out is looked at in bounded steps.
#include <limits>
#include <thread>
#include <vector>

#include "postgres_fixture.h"

namespace fairlane::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresPlansTest : public PostgresTest {
 protected:
  PostgresOptions own_options(const QueueOptions& rules) const {
    return {.conninfo = database.url(), .queue_name = queue, .queue = rules, .clock = clock};
  }

  void publish(Transport<Bytes>& transport, const std::string& prefix, int groups) const {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(groups));
    for (int i = 0; i < groups; ++i) names.push_back(prefix + std::to_string(i));
    std::vector<Publication<Bytes>> batch;
    batch.reserve(names.size());
    for (const auto& name : names) batch.push_back({name, "e", static_cast<std::int32_t>(groups)});
    transport.publish_batch(batch);
  }

  /// Every verb, each in its several ways.
  void use(Transport<Bytes>& transport) {
    auto& control = transport.control();
    for (const char* const group : {"a", "b", "c", "d", "e", "f"}) {
      transport.publish(group, "1");
      transport.publish(group, "2");
    }
    const auto claim = [&] { return transport.claim("w", seconds(30)).value(); };
    EXPECT_EQ(transport.ack(claim()), Settled::done);
    EXPECT_TRUE(transport.ack_claim(claim(), "w", seconds(30)).lease);
    EXPECT_EQ(transport.nack(claim()), Settled::done);
    EXPECT_EQ(transport.nack(claim(), seconds(5)), Settled::done);
    EXPECT_EQ(transport.extend(claim(), seconds(5)), Settled::done);
    EXPECT_EQ(transport.release(claim()), Settled::done);
    for (const char* const reason : {"no", "never"}) {
      EXPECT_EQ(transport.reject(claim(), reason), Settled::done);
    }
    publish(transport, "batch", 20);
    auto leases = transport.claim_batch(10, "w", seconds(30));
    EXPECT_EQ(leases.size(), 10U);
    leases.erase(leases.begin() + 5, leases.end());
    for (const auto settled : transport.ack_batch(leases)) EXPECT_EQ(settled, Settled::done);
    clock->advance(seconds(31));  // What is held still runs out.
    EXPECT_TRUE(transport.claim("w", seconds(30)));
    EXPECT_FALSE(transport.claim("w", seconds(30), std::numeric_limits<std::int32_t>::max()));
    control.suspend("a");
    control.suspend("absent");
    control.resume("a");
    EXPECT_GT(control.cancel("b", "3").seq, 0U);
    control.terminate("c");
    control.inspect("d");
    control.peek("d", 5);
    control.groups({.limit = 5});
    control.groups({.limit = 5, .after = "b"});
    control.groups({.suspended = true, .limit = 5});
    const auto dead = control.dead_letters(5);
    ASSERT_GE(dead.size(), 2U);
    control.redrive(dead[0].seq);
    control.drop_dead(dead[1].seq);
    EXPECT_FALSE(transport.claim_wait("w", seconds(30), std::numeric_limits<std::int32_t>::max(),
                                      Duration()));
  }

  /// How often the tables were read from end to end, but those of one record for each queue.
  std::string scans() const {
    return Session(database.url())
        .run(
            "SELECT string_agg(relname || ' ' || seq_scan, ', ' ORDER BY relname) "
            "FROM pg_stat_user_tables WHERE schemaname = 'fairlane' "
            "AND relname NOT IN ('version', 'queue', 'counter')");
  }
  /// The server counts a session's work at its end, which is after its connection's.
  void await_end_of_sessions(const std::string& of = "%") const {
    Session session(database.url());
    while (session.run("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                       "datname = current_database() AND backend_type = 'client backend' AND "
                       "application_name LIKE '" +
                       of + "'") != "0") {
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  std::uint64_t rows_read_by_index() const {
    return std::stoull(Session(database.url())
                           .run("SELECT sum(idx_scan) FROM pg_stat_user_tables "
                                "WHERE schemaname = 'fairlane'"));
  }
  void analyze() const {
    Session(database.url())
        .run(
            "ANALYZE fairlane.active_group, fairlane.message, fairlane.dead, "
            "fairlane.suspended, fairlane.waiter");
  }

  const Database database;
};

TEST_F(PostgresPlansTest, NoVerbReadsATableFromEndToEnd) {
  for (const auto& rules :
       {QueueOptions{.max_attempts = 2}, QueueOptions{.rotation = Rotation::ready_order,
                                         .when_exhausted = WhenExhausted::dead_letter,
                                         .max_attempts = 2,
                                         .max_messages = 100'000,
                                         .max_group_messages = 50'000}}) {
    auto mine = own_options(rules);
    mine.queue_name = test::fresh_name();
    mine.max_connections = 1;
    { const auto transport = open_postgres(mine); }
    await_end_of_sessions();
    analyze();
    const auto before = scans();
    const auto by_index = rows_read_by_index();
    {
      const auto transport = open_postgres(mine);  // Its plans are made for what is empty.
      use(*transport);
      publish(*transport, "many", 5'000);
      use(*transport);
    }
    analyze();
    {
      const auto transport = open_postgres(mine);  // And these for what is full.
      use(*transport);
    }
    await_end_of_sessions();
    EXPECT_EQ(scans(), before);
    EXPECT_GT(rows_read_by_index(), by_index + 300) << "it was counted";
  }
}

TEST_F(PostgresPlansTest, WhatAVerbReadsDoesNotGrowWithTheGroups) {
  auto mine = own_options({.max_attempts = 2, .max_group_messages = 100});
  mine.max_connections = 1;
  const auto entries_read = [&] {
    return std::stoll(Session(database.url())
                          .run("SELECT sum(idx_tup_read) FROM pg_stat_user_indexes "
                               "WHERE schemaname = 'fairlane'"));
  };
  { const auto transport = open_postgres(mine); }
  await_end_of_sessions();
  const auto before = entries_read();
  {
    const auto transport = open_postgres(mine);
    use(*transport);
  }
  await_end_of_sessions();
  const auto of_few = entries_read() - before;

  auto transport = open_postgres(mine);
  use(*transport);  // Its plans are made for few groups.
  {
    auto another = mine;
    another.conninfo = with_parameter(mine.conninfo, "application_name=another");
    const auto other = open_postgres(another);
    publish(*other, "many", 10'000);
    EXPECT_EQ(other->claim_batch(5'000, "w", seconds(300)).size(), 5'000U);
    Session(database.url())
        .run(
            "INSERT INTO fairlane.suspended "
            "SELECT 1, convert_to('none' || i, 'UTF8') FROM generate_series(1, 10000) i");
  }
  await_end_of_sessions("another");
  Session(database.url()).run("VACUUM fairlane.active_group");  // Else the next reader tidies up.
  const auto filled = entries_read();
  const auto by_index = [&] {
    return Session(database.url())
        .run(
            "SELECT string_agg(indexrelname || ' ' || idx_tup_read, ', ' ORDER BY indexrelname) "
            "FROM pg_stat_user_indexes WHERE schemaname = 'fairlane'");
  };
  const auto first = by_index();
  use(*transport);
  transport = nullptr;
  await_end_of_sessions();
  // The first use may not have been counted before.
  EXPECT_LT(entries_read() - filled, 4 * of_few + 2'000)
      << "from " << first << "\nto " << by_index();
}

/// What a process that waits looks at.
class PostgresLookTest : public PostgresPlansTest {
 protected:
  std::string look() const {
    return Session(database.url())
        .run("SELECT claimable FROM fairlane.call_look(1, 1, 0, false, " +
             std::to_string(clock->now().time_since_epoch().count()) + ")");
  }
};

TEST_F(PostgresLookTest, OfWhatRanOutItLooksAtAHundredAtMost) {
  const auto transport = open_postgres(own_options({}));
  EXPECT_EQ(look(), "") << "nothing";
  publish(*transport, "g", 100);
  const auto leases = transport->claim_batch(100, "w", seconds(10), 0);
  ASSERT_EQ(leases.size(), 100U);
  EXPECT_EQ(look(), "") << "all in flight";
  clock->advance(seconds(11));
  EXPECT_EQ(look(), "100") << "the highest priority of what ran out";

  clock->advance(-seconds(11));
  transport->publish("one more", "e", 7);
  ASSERT_TRUE(transport->claim("w", seconds(10)));
  clock->advance(seconds(11));
  EXPECT_EQ(look(), std::to_string(std::numeric_limits<std::int32_t>::max()))
      << "more than it looks at: whoever waits may try";
}

TEST_F(PostgresLookTest, WhatIsSuspendedCallsNobody) {
  const auto transport = open_postgres(own_options({}));
  publish(*transport, "g", 3);
  ASSERT_EQ(transport->claim_batch(3, "w", seconds(10)).size(), 3U);
  for (const char* const group : {"g0", "g1", "g2"}) transport->control().suspend(group);
  clock->advance(seconds(11));
  EXPECT_EQ(look(), "");
}

}  // namespace
}  // namespace fairlane::postgres
