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
#include "history.h"
#include "sqlite_fixture.h"
#include "visible_state.h"

namespace fairlane::sqlite {
namespace {

using std::chrono::seconds;

/// The rules of the second queue of a kept file, which differ from the first's in all.
constexpr QueueOptions line_options{.rotation = Rotation::ready_order,
                                    .when_exhausted = WhenExhausted::suspend_group,
                                    .max_attempts = 1,
                                    .max_messages = 7,
                                    .max_group_messages = 3,
                                    .max_event_bytes = 9};

/// In the second queue: a line that is not in order of age, and a group suspended by its failure.
void stand_in_line(Transport<Bytes>& queue) {
  for (const char* const group : {"a", "b", "a", "c", "d"}) queue.publish(group, group);
  auto lease = queue.claim("of a", seconds(900));
  if (queue.ack(lease.value()) != Settled::done) throw std::logic_error("a is stale");
  lease = queue.claim("of b", seconds(900));
  if (queue.nack(lease.value()) != Settled::done) throw std::logic_error("b is stale");
}

class KeptFile : public SqliteTest {
 protected:
  /// What memory holds after the same calls.
  KeptFile() {
    Scene scene{*remembered, *clock};
    for (const Step& step : history()) step(scene);
    leases = scene.leases;
    stand_in_line(*remembered_line);
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
      InMemoryOptions<Bytes>{.queue = history_options, .clock = clock});
  const std::unique_ptr<Transport<Bytes>> remembered_line =
      std::make_unique<InMemoryTransport<Bytes>>(
          InMemoryOptions<Bytes>{.queue = line_options, .clock = clock});
  std::map<std::string, Lease<Bytes>> leases;
};

/// Both give the same messages in the same order, until they are empty.
void drain_alike(Transport<Bytes>& queue, Transport<Bytes>& like) {
  for (;;) {
    const auto one = queue.claim("w", seconds(1), -10);
    const auto other = like.claim("w", seconds(1), -10);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) return;
    EXPECT_EQ(one->seq(), other->seq());
    EXPECT_EQ(one->group_id(), other->group_id());
    EXPECT_EQ(one->event(), other->event());
    EXPECT_EQ(one->attempt(), other->attempt());
    EXPECT_EQ(queue.ack(*one), like.ack(*other));
  }
}

TEST_F(KeptFile, OfVersion1HoldsWhatItHeld) {
  restore("v1.sql");
  EXPECT_EQ(visible_state(*open()), visible_state(*remembered));
  EXPECT_EQ(visible_state(*open_line()), visible_state(*remembered_line));
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
  EXPECT_EQ(visible_state(*queue), visible_state(*remembered));
}

TEST_F(KeptFile, OfVersion1GoesOnAsIfNothingHadBeen) {
  restore("v1.sql");
  for (auto& [queue, like] :
       {std::pair(open(), remembered.get()), std::pair(open_line(), remembered_line.get())}) {
    SCOPED_TRACE(queue->control().stats().groups);
    EXPECT_EQ(queue->publish("new", "n"), like->publish("new", "n"));
    drain_alike(*queue, *like);
    clock->advance(seconds(4000));  // Leases and parks run out.
    drain_alike(*queue, *like);
    for (const auto& group : like->control().groups({.suspended = true})) {
      queue->control().resume(group);
      like->control().resume(group);
    }
    drain_alike(*queue, *like);
    for (const auto& dead : like->control().dead_letters(10)) {
      EXPECT_EQ(queue->control().redrive(dead.seq), like->control().redrive(dead.seq));
    }
    drain_alike(*queue, *like);
    EXPECT_EQ(visible_state(*queue), visible_state(*like));
    EXPECT_EQ(queue->control().stats().groups, 0U);
  }
}

TEST_F(KeptFile, OfVersion1KeepsTheRulesOfItsQueues) {
  restore("v1.sql");
  auto named = options();
  named.queue = history_options;
  EXPECT_NO_THROW(open_sqlite(named));
  named.queue_name = "line";
  EXPECT_EQ(error_of([&] { open_sqlite(named); }), ErrorCode::incompatible);
  named.queue = line_options;
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
  named.queue = history_options;
  const auto own = std::make_shared<testing::ManualClock>();
  named.clock = own;
  {
    const auto queue = open_sqlite(named);
    Scene scene{*queue, *own};
    for (const Step& step : history()) step(scene);
    named.queue_name = "line";
    named.queue = line_options;
    stand_in_line(*open_sqlite(named));
  }
  EXPECT_EQ(visible_state(*open()), visible_state(*remembered));
  EXPECT_EQ(visible_state(*open_line()), visible_state(*remembered_line));
  if (const char* const keep = std::getenv("FAIRLANE_KEEP")) {
    std::filesystem::copy_file(path(), keep);
  }
}

}  // namespace
}  // namespace fairlane::sqlite
