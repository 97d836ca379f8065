// How a queue is opened, again and by others: options, names, versions, the file itself.
#include <sqlite3.h>
#include <sys/stat.h>

#include "fairlane/open.h"
#include "sqlite_fixture.h"

namespace fairlane::sqlite {
namespace {

using std::chrono::seconds;

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST_F(SqliteTest, FilesAreReadableByTheirOwnerAlone) {
  const auto queue = open();
  queue->publish("a", "1");
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    EXPECT_EQ(mode_of(path() + suffix), 0600U) << suffix;
  }
}

TEST_F(SqliteTest, LeasesParksSuspensionsAndDeadLettersSurvive) {
  std::optional<Lease<Bytes>> held;
  {
    const auto queue = open();
    for (const char* const group : {"leased", "parked", "dead", "suspended"}) {
      queue->publish(group, group);
    }
    queue->control().suspend("suspended");
    held = queue->claim("w", seconds(30));
    EXPECT_EQ(queue->nack(*queue->claim("w", seconds(30)), seconds(30)), Settled::done);
    EXPECT_EQ(queue->reject(*queue->claim("w", seconds(30)), "why"), Settled::done);
  }
  const auto queue = open();
  EXPECT_EQ(queue->control().inspect("leased").worker_id, "w");
  EXPECT_EQ(queue->control().inspect("parked").state, GroupState::parked);
  EXPECT_EQ(queue->control().inspect("suspended").state, GroupState::suspended);
  EXPECT_EQ(queue->control().dead_letters(10).at(0).reason, "why");
  EXPECT_EQ(queue->ack(*held), Settled::done);
  EXPECT_EQ(queue->publish("more", "x"), 5U);
}

TEST_F(SqliteTest, OptionsBelongToTheQueue) {
  auto named = options();
  named.queue = {.rotation = Rotation::ready_order, .max_attempts = 3};
  { const auto queue = open_sqlite(named); }
  { const auto queue = open(); }  // Who names none takes the stored ones.
  auto other = options();
  other.queue = {.max_attempts = 4};
  EXPECT_EQ(error_of([&] { open_sqlite(other); }), ErrorCode::incompatible);
  other.queue = {.max_attempts = 3};
  EXPECT_NO_THROW(open_sqlite(other));
}

TEST_F(SqliteTest, ChangedOptionsHoldForWhoHasItOpen) {
  const auto before = open();
  before->publish("a", "1");
  before->publish("b", "2");
  auto changed = options();
  changed.queue = {.max_messages = 2};
  changed.change_options = true;
  const auto after = open_sqlite(changed);
  EXPECT_EQ(error_of([&] { before->publish("c", "3"); }), ErrorCode::full);
  EXPECT_EQ(before->ack(*before->claim("w", seconds(30))), Settled::done);
  EXPECT_NO_THROW(after->publish("c", "3"));
  EXPECT_EQ(error_of([&] { after->publish("c", "4"); }), ErrorCode::full);
}

TEST_F(SqliteTest, AChangedRotationKeepsEveryGroup) {
  clock->advance(seconds(1));
  const auto queue = open();
  for (const char* const group : {"a", "b", "c"}) {
    queue->publish(group, group);
    queue->publish(group, group);
  }
  EXPECT_EQ(queue->ack(*queue->claim("w", seconds(30))), Settled::done);
  clock->advance(seconds(1));
  auto changed = options();
  changed.change_options = true;
  // In line as they would have been claimed; then, all claimed at one instant, by age.
  for (const auto& [rotation, turns] :
       {std::pair(Rotation::ready_order, "bca"), std::pair(Rotation::oldest_claim_first, "abc")}) {
    changed.queue = {.rotation = rotation};
    const auto opened = open_sqlite(changed);
    std::string order;
    for (const auto& lease : opened->claim_batch(5, "w", seconds(30))) {
      order += lease.group_id();
      EXPECT_EQ(opened->nack(lease), Settled::done);
    }
    EXPECT_EQ(order, turns);
  }
}

TEST_F(SqliteTest, QueuesOfOneFileKnowNothingOfEachOther) {
  auto second = options();
  second.queue_name = "it's; DROP TABLE fairlane_queue --";
  const auto one = open();
  const auto two = open_sqlite(second);
  one->publish("a", "of one");
  EXPECT_EQ(two->publish("a", "of two"), 1U) << "each counts for itself";
  one->control().suspend("a");
  const auto lease = two->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "of two");
  EXPECT_THROW(static_cast<void>(one->ack(*lease)), std::invalid_argument);
  EXPECT_EQ(one->control().stats().groups, 1U);
}

TEST_F(SqliteTest, ANewerSchemaIsRefused) {
  { const auto queue = open(); }
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &file), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(file, "UPDATE fairlane_schema SET version = 99", nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(file);
  EXPECT_EQ(error_of([&] { open(); }), ErrorCode::incompatible);
}

TEST_F(SqliteTest, AUrlNamesFileQueueAndSynchronous) {
  register_sqlite();
  const auto url = "sqlite:" + path() + "?queue=jobs&synchronous=normal";
  fairlane::open(url, {.clock = clock})->publish("a", "1");
  auto named = options();
  named.queue_name = "jobs";
  EXPECT_EQ(open_sqlite(named)->control().stats().ready, 1U);
  for (const char* const wrong : {"?nonsense=1", "?synchronous=off", "?queue"}) {
    EXPECT_THROW(fairlane::open("sqlite:" + path() + wrong), std::invalid_argument) << wrong;
  }
  EXPECT_THROW(fairlane::open("sqlite:"), std::invalid_argument);
  EXPECT_THROW(fairlane::open("sqlite:a%00b"), std::invalid_argument);
}

TEST_F(SqliteTest, TimeNeverRunsBackwardsBetweenProcesses) {
  clock->advance(seconds(100));
  open()->publish("a", "1");
  const auto lease = open()->claim("w", seconds(10));
  ASSERT_TRUE(lease);
  auto behind = options();
  behind.clock = std::make_shared<testing::ManualClock>(Instant(seconds(50)));
  const auto other = open_sqlite(behind);
  EXPECT_EQ(other->extend(*lease, seconds(10)), Settled::done);
  EXPECT_EQ(other->control().inspect("a").until, Instant(seconds(110)));
}

}  // namespace
}  // namespace fairlane::sqlite
