// The tables of each version of the schema, kept for ever, open for ever and hold what they held.
//
// schema/v1.sql was written by the last test:
//
//   export FAIRLANE_KEEP=v1.sql
//   scripts/with-servers build/test/tests/postgres/postgres_test --gtest_filter='*OfToday*'
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "fairlane/in_memory_transport.h"
#include "postgres_fixture.h"
#include "programs.h"
#include "support/alike.h"
#include "support/history.h"
#include "support/visible_state.h"

namespace fairlane::postgres {
namespace {

using std::chrono::seconds;

/// What pg_dump writes, without what other clients and older servers do not take: the comments and
/// the commands of psql's own.
std::string statements_of(const std::string& dump) {
  std::string statements;
  for (std::size_t begin = 0; begin < dump.size();) {
    const auto end = std::min(dump.find('\n', begin), dump.size());
    const auto line = dump.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && !line.starts_with("\\") && !line.starts_with("--")) {
      statements += line + "\n";
    }
  }
  return statements;
}

class KeptTables : public PostgresTest {
 protected:
  /// What memory holds after the same calls.
  KeptTables() {
    test::Scene scene{*remembered, *since_zero};
    for (const auto& step : test::history()) step(scene);
    leases = scene.leases;
    test::stand_in_line(*remembered_line);
  }

  /// The kept tables in this test's database.
  void restore(const std::string& name) const {
    std::ifstream kept(std::string(FAIRLANE_TESTS_FOLDER) + "/postgres/schema/" + name);
    const std::string sql{std::istreambuf_iterator<char>(kept), {}};
    ASSERT_FALSE(sql.empty()) << name;
    ASSERT_NO_THROW(Session(database.url()).run(sql));
  }
  std::uint64_t number(const std::string& sql) const {
    const auto text = Session(database.url()).run(sql);
    EXPECT_FALSE(text.empty()) << sql;
    return std::stoull("0" + text);
  }

  PostgresOptions options_of(const std::string& name) const {
    return {.conninfo = database.url(), .queue_name = name, .clock = since_zero};
  }
  std::unique_ptr<Transport<Bytes>> open(const std::string& name = "default") const {
    return open_postgres(options_of(name));
  }

  const Database database;
  const std::shared_ptr<testing::ManualClock> since_zero = std::make_shared<testing::ManualClock>();
  const std::unique_ptr<Transport<Bytes>> remembered = std::make_unique<InMemoryTransport<Bytes>>(
      InMemoryOptions<Bytes>{.queue = test::history_options, .clock = since_zero});
  const std::unique_ptr<Transport<Bytes>> remembered_line =
      std::make_unique<InMemoryTransport<Bytes>>(
          InMemoryOptions<Bytes>{.queue = test::line_options, .clock = since_zero});
  std::map<std::string, Lease<Bytes>> leases;
};

TEST_F(KeptTables, OfVersion1HoldWhatTheyHeld) {
  restore("v1.sql");
  EXPECT_EQ(test::visible_state(*open()), test::visible_state(*remembered));
  EXPECT_EQ(test::visible_state(*open("line")), test::visible_state(*remembered_line));
}

TEST_F(KeptTables, OfVersion1KeepTheirLeases) {
  restore("v1.sql");
  const auto store = number("SELECT store FROM fairlane.queue WHERE name = 'default'");
  const auto opened = open();
  for (const char* const name : {"held", "lapsed", "second"}) {
    const auto& lease = leases.at(name);
    const auto fence = number(
        "SELECT a.fence FROM fairlane.active_group a JOIN fairlane.queue q ON q.id = a.queue "
        "WHERE q.name = 'default' AND a.group_id = '" +
        std::string(lease.group_id()) + "'");
    ASSERT_NE(fence, 0U) << name;
    LeaseKey key{store, fence + 1, lease.seq(), lease.attempt()};
    const auto as = [&] {
      return Lease<Bytes>(key, lease.expires_at(), lease.shared_group_id(), lease.event_ref());
    };
    EXPECT_EQ(opened->ack(as()), Settled::stale) << name;
    key.fence = fence;
    EXPECT_EQ(opened->ack(as()), remembered->ack(lease)) << name;
  }
  EXPECT_EQ(test::visible_state(*opened), test::visible_state(*remembered));
}

TEST_F(KeptTables, OfVersion1GoOnAsIfNothingHadBeen) {
  restore("v1.sql");
  test::go_on_alike(*open(), *remembered, *since_zero);
  test::go_on_alike(*open("line"), *remembered_line, *since_zero);
}

TEST_F(KeptTables, OfVersion1KeepTheRulesOfTheirQueues) {
  restore("v1.sql");
  auto named = options_of("default");
  named.queue = test::history_options;
  EXPECT_NO_THROW(open_postgres(named));
  named.queue_name = "line";
  EXPECT_EQ(error_of([&] { open_postgres(named); }), ErrorCode::incompatible);
  named.queue = test::line_options;
  const auto line = open_postgres(named);
  EXPECT_EQ(error_of([&] { line->publish("d", "0123456789"); }), ErrorCode::too_large);
  line->publish("d", "2");
  line->publish("d", "3");
  EXPECT_EQ(error_of([&] { line->publish("d", "4"); }), ErrorCode::full) << "three of one group";
  line->publish("e", "1");
  EXPECT_EQ(error_of([&] { line->publish("f", "1"); }), ErrorCode::full) << "seven in all";
}

TEST_F(KeptTables, OfVersion1TakeNewQueuesAndTransactionsOfOthers) {
  restore("v1.sql");
  const auto fresh = open("fresh");
  EXPECT_EQ(fresh->publish("a", "1"), 1U);
  Session session(database.url());
  session.run("BEGIN");
  EXPECT_EQ(session.run("SELECT fairlane.publish('fresh', 'b', '2')"), "2");
  session.run("COMMIT");
  EXPECT_EQ(fresh->claim_batch(5, "w", seconds(30)).size(), 2U);
}

/// The tables of today's version are made as the kept ones were, and hold what memory holds.
TEST_F(KeptTables, OfTodayHoldWhatTheyHold) {
  auto named = options_of("default");
  named.queue = test::history_options;
  const auto own = std::make_shared<testing::ManualClock>();
  named.clock = own;
  {
    const auto opened = open_postgres(named);
    test::Scene scene{*opened, *own};
    for (const auto& step : test::history()) step(scene);
    named.queue_name = "line";
    named.queue = test::line_options;
    test::stand_in_line(*open_postgres(named));
  }
  EXPECT_EQ(test::visible_state(*open()), test::visible_state(*remembered));
  EXPECT_EQ(test::visible_state(*open("line")), test::visible_state(*remembered_line));
  if (const char* const keep = std::getenv("FAIRLANE_KEEP")) {
    std::ofstream(keep) << statements_of(
        torture::output_of({"pg_dump", "--schema=fairlane", "--inserts", "--no-owner",
                            "--no-unlogged-table-data", "--dbname=" + database.url()}));
  }
}

}  // namespace
}  // namespace fairlane::postgres
