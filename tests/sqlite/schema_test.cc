// A file of each version of the schema, kept for ever, opens for ever and holds what it held.
//
// schema/v1.sql was written from the file that the last test makes:
//
//   FAIRLANE_KEEP=v1.db build/test/tests/sqlite/sqlite_test --gtest_filter='*OfToday*'
//   sqlite3 v1.db .dump >tests/sqlite/schema/v1.sql
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fairlane/in_memory_transport.h"
#include "sqlite_fixture.h"
#include "support/alike.h"
#include "support/history.h"
#include "support/visible_state.h"

namespace fairlane::sqlite {
namespace {

using std::chrono::seconds;

class KeptFile : public SqliteTest {
 protected:
  /// What memory holds after the same calls.
  KeptFile() {
    test::Scene scene{*remembered, *clock};
    for (const test::Step& step : test::history()) step(scene);
    leases = scene.leases;
    test::stand_in_line(*remembered_line);
  }

  /// The kept file in this test's folder.
  void restore(const std::string& name) const {
    std::ifstream kept(std::string(FAIRLANE_KEPT_SCHEMAS) + "/" + name);
    const std::string sql{std::istreambuf_iterator<char>(kept), {}};
    ASSERT_FALSE(sql.empty()) << name;
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(file);
    sqlite3_close(file);
  }

  /// A number of the kept file, read past the transport.
  std::uint64_t number(const std::string& sql) const {
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open(path().c_str(), &file), SQLITE_OK);
    sqlite3_stmt* read = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(file, sql.c_str(), -1, &read, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(read), SQLITE_ROW) << sql;
    const auto number = static_cast<std::uint64_t>(sqlite3_column_int64(read, 0));
    sqlite3_finalize(read);
    sqlite3_close(file);
    return number;
  }

  std::unique_ptr<Transport<Bytes>> open_line() const {
    auto line = options();
    line.queue_name = "line";
    return open_sqlite(line);
  }

  const std::unique_ptr<Transport<Bytes>> remembered = std::make_unique<InMemoryTransport<Bytes>>(
      InMemoryOptions<Bytes>{.queue = test::history_options, .clock = clock});
  const std::unique_ptr<Transport<Bytes>> remembered_line =
      std::make_unique<InMemoryTransport<Bytes>>(
          InMemoryOptions<Bytes>{.queue = test::line_options, .clock = clock});
  std::map<std::string, Lease<Bytes>> leases;
};

TEST_F(KeptFile, OfVersion1HoldsWhatItHeld) {
  restore("v1.sql");
  EXPECT_EQ(test::visible_state(*open()), test::visible_state(*remembered));
  EXPECT_EQ(test::visible_state(*open_line()), test::visible_state(*remembered_line));
}

TEST_F(KeptFile, OfVersion1KeepsItsLeases) {
  restore("v1.sql");
  const auto store = number("SELECT store FROM fairlane_queue WHERE name = 'default'");
  const auto fence_of = [&](const Lease<Bytes>& lease) {
    return number("SELECT fence FROM fairlane_group WHERE queue = 1 AND group_id = CAST('" +
                  std::string(lease.group_id()) + "' AS BLOB)");
  };
  const auto queue = open();
  for (const char* const name : {"held", "lapsed", "second"}) {
    const auto& lease = leases.at(name);
    LeaseKey key{store, fence_of(lease), lease.seq(), lease.attempt()};
    const auto as = [&] {
      return Lease<Bytes>(key, lease.expires_at(), lease.shared_group_id(), lease.event_ref());
    };
    ASSERT_NE(key.fence, 0U) << name;
    ++key.fence;
    EXPECT_EQ(queue->ack(as()), Settled::stale) << name;
    --key.fence;
    EXPECT_EQ(queue->ack(as()), remembered->ack(lease)) << name;
  }
  EXPECT_EQ(test::visible_state(*queue), test::visible_state(*remembered));
}

TEST_F(KeptFile, OfVersion1GoesOnAsIfNothingHadBeen) {
  restore("v1.sql");
  for (auto& [queue, like] :
       {std::pair(open(), remembered.get()), std::pair(open_line(), remembered_line.get())}) {
    SCOPED_TRACE(queue->control().stats().groups);
    test::go_on_alike(*queue, *like, *clock);
  }
}

TEST_F(KeptFile, OfVersion1KeepsTheRulesOfItsQueues) {
  restore("v1.sql");
  auto named = options();
  named.queue = test::history_options;
  EXPECT_NO_THROW(open_sqlite(named));
  named.queue_name = "line";
  EXPECT_EQ(error_of([&] { open_sqlite(named); }), ErrorCode::incompatible);
  named.queue = test::line_options;
  const auto line = open_sqlite(named);
  EXPECT_EQ(error_of([&] { line->publish("d", "0123456789"); }), ErrorCode::too_large);
  line->publish("d", "2");
  line->publish("d", "3");
  EXPECT_EQ(error_of([&] { line->publish("d", "4"); }), ErrorCode::full) << "three of one group";
  line->publish("e", "1");
  EXPECT_EQ(error_of([&] { line->publish("f", "1"); }), ErrorCode::full) << "seven in all";
}

/// The file of today's version is made as the kept ones were, and is what memory holds.
TEST_F(KeptFile, OfTodayHoldsWhatItHolds) {
  auto named = options();
  named.queue = test::history_options;
  const auto own = std::make_shared<testing::ManualClock>();
  named.clock = own;
  {
    const auto queue = open_sqlite(named);
    test::Scene scene{*queue, *own};
    for (const test::Step& step : test::history()) step(scene);
    named.queue_name = "line";
    named.queue = test::line_options;
    test::stand_in_line(*open_sqlite(named));
  }
  EXPECT_EQ(test::visible_state(*open()), test::visible_state(*remembered));
  EXPECT_EQ(test::visible_state(*open_line()), test::visible_state(*remembered_line));
  if (const char* const keep = std::getenv("FAIRLANE_KEEP")) {
    std::filesystem::copy_file(path(), keep);
  }
}

}  // namespace
}  // namespace fairlane::sqlite
