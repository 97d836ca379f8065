// How a queue is opened: options, roles, versions, URLs, many at once.
#include <gmock/gmock.h>

#include <future>
#include <optional>
#include <vector>

#include "postgres_fixture.h"

namespace fairlane::postgres {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(PostgresTest, LeasesParksSuspensionsAndDeadLettersSurvive) {
  std::optional<Lease<Bytes>> held;
  {
    const auto transport = open();
    for (const char* const group : {"leased", "parked", "dead", "suspended"}) {
      transport->publish(group, group);
    }
    transport->control().suspend("suspended");
    held = transport->claim("w", seconds(30));
    EXPECT_EQ(transport->nack(*transport->claim("w", seconds(30)), seconds(30)), Settled::done);
    EXPECT_EQ(transport->reject(*transport->claim("w", seconds(30)), "why"), Settled::done);
  }
  const auto transport = open();
  EXPECT_EQ(transport->control().inspect("leased").worker_id, "w");
  EXPECT_EQ(transport->control().inspect("parked").state, GroupState::parked);
  EXPECT_EQ(transport->control().inspect("suspended").state, GroupState::suspended);
  EXPECT_EQ(transport->control().dead_letters(10).at(0).reason, "why");
  EXPECT_EQ(transport->ack(*held), Settled::done);
  EXPECT_EQ(transport->publish("more", "x"), 5U);
}

TEST_F(PostgresTest, OptionsBelongToTheQueue) {
  auto named = options();
  named.queue = {.rotation = Rotation::ready_order, .max_attempts = 3};
  { const auto transport = open_postgres(named); }
  { const auto transport = open(); }  // Who names none takes the stored ones.
  auto other = options();
  other.queue = {.max_attempts = 4};
  EXPECT_EQ(error_of([&] { open_postgres(other); }), ErrorCode::incompatible);
  other.queue = {.max_attempts = 3};
  EXPECT_NO_THROW(open_postgres(other));
}

TEST_F(PostgresTest, LimitsPastSixtyThreeBitsAreKept) {
  auto wide = options();
  wide.queue = {.max_attempts = 0xffff'ffffU, .max_messages = ~std::uint64_t{0}};
  open_postgres(wide)->publish("a", "1");
  EXPECT_NO_THROW(open_postgres(wide));
}

TEST_F(PostgresTest, ChangedOptionsHoldAtOnceForWhoHasItOpen) {
  const auto before = open();
  before->publish("a", "1");
  before->publish("b", "2");
  auto changed = options();
  changed.queue = {.max_messages = 2};
  changed.change_options = true;
  const auto after = open_postgres(changed);
  EXPECT_EQ(error_of([&] { before->publish("c", "3"); }), ErrorCode::full);
  EXPECT_EQ(before->ack(*before->claim("w", seconds(30))), Settled::done);
  EXPECT_NO_THROW(after->publish("c", "3"));
  EXPECT_EQ(error_of([&] { after->publish("c", "4"); }), ErrorCode::full);
}

TEST_F(PostgresTest, AChangedRotationKeepsEveryGroup) {
  const auto transport = open();
  for (const char* const group : {"a", "b", "c"}) {
    transport->publish(group, group);
    transport->publish(group, group);
  }
  EXPECT_EQ(transport->ack(*transport->claim("w", seconds(30))), Settled::done);
  clock->advance(seconds(1));
  auto changed = options();
  changed.change_options = true;
  // In line as they would have been claimed; then, all claimed at one instant, by age.
  for (const auto& [rotation, turns] :
       {std::pair(Rotation::ready_order, "bca"), std::pair(Rotation::oldest_claim_first, "abc")}) {
    changed.queue = {.rotation = rotation};
    const auto opened = open_postgres(changed);
    std::string order;
    for (const auto& lease : opened->claim_batch(5, "w", seconds(30))) {
      order += lease.group_id();
      EXPECT_EQ(opened->nack(lease), Settled::done);
    }
    EXPECT_EQ(order, turns);
  }
}

TEST_F(PostgresTest, ALimitThatIsSetWhileOthersWorkCountsWhatThereIs) {
  const auto transport = open_by_server_clock();
  std::atomic<bool> over{false};
  std::thread worker([&] {
    for (int i = 0; !over; ++i) {
      transport->publish("g" + std::to_string(i % 5), "e");
      if (const auto lease = transport->claim("w", seconds(60))) {
        static_cast<void>(transport->ack(*lease));
      }
    }
  });
  auto changed = by_server_clock();
  changed.change_options = true;
  for (std::uint64_t limit = 1000; limit < 1010; ++limit) {
    changed.queue = {.max_messages = limit};
    const auto opened = open_postgres(changed);
  }
  over = true;
  worker.join();
  const auto stats = transport->control().stats();
  EXPECT_EQ(Session().run("SELECT messages FROM fairlane.counter WHERE queue = " + id_of(queue)),
            std::to_string(stats.ready + stats.waiting + stats.leased));
}

TEST_F(PostgresTest, QueuesOfOneDatabaseKnowNothingOfEachOther) {
  auto second = options();
  second.queue_name = queue + "'; DROP TABLE fairlane.queue --";
  const auto one = open();
  const auto two = open_postgres(second);
  one->publish("a", "of one");
  EXPECT_EQ(two->publish("a", "of two"), 1U) << "each counts for itself";
  one->control().suspend("a");
  const auto lease = two->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "of two");
  EXPECT_THROW(static_cast<void>(one->ack(*lease)), std::invalid_argument);
  EXPECT_EQ(one->control().stats().groups, 1U);
}

TEST_F(PostgresTest, ManyWhoOpenAnEmptyDatabaseAtOnceShareItsQueue) {
  const Database database;
  auto mine = options();
  mine.conninfo = database.url();
  std::vector<std::future<std::unique_ptr<Transport<Bytes>>>> opening;
  for (int i = 0; i < 6; ++i) {
    opening.push_back(std::async(std::launch::async, [&] { return open_postgres(mine); }));
  }
  std::vector<std::unique_ptr<Transport<Bytes>>> opened;
  for (auto& each : opening) opened.push_back(each.get());
  opened[0]->publish("a", "1");
  const auto lease = opened[1]->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(opened[2]->ack(*lease), Settled::done);
}

TEST_F(PostgresTest, ANewerSchemaIsRefusedAndAMissingOneMayBe) {
  const Database database;
  auto mine = options();
  mine.conninfo = database.url();
  mine.create_schema = false;
  EXPECT_EQ(error_of([&] { open_postgres(mine); }), ErrorCode::incompatible);
  mine.create_schema = true;
  { const auto transport = open_postgres(mine); }
  Session(database.url()).run("UPDATE fairlane.version SET version = 99");
  EXPECT_EQ(error_of([&] { open_postgres(mine); }), ErrorCode::incompatible);
}

TEST_F(PostgresTest, ARoleThatMayCreateNothingWorksOnAScriptedSchema) {
  const Database database;
  const auto role = test::fresh_name("role");
  Session owner(database.url());
  owner.run("CREATE ROLE " + role + " LOGIN PASSWORD 'secret'");
  owner.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC; REVOKE CREATE, TEMPORARY ON DATABASE " +
            database.name() + " FROM PUBLIC");
  auto mine = options();
  mine.conninfo = with_role(database.url(), role, "secret");
  EXPECT_EQ(error_of([&] { open_postgres(mine); }), ErrorCode::unavailable);
  owner.run(postgres_schema());
  owner.run("GRANT USAGE ON SCHEMA fairlane TO " + role +
            "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA fairlane TO " + role +
            "; GRANT USAGE ON ALL SEQUENCES IN SCHEMA fairlane TO " + role);
  {
    const auto transport = open_postgres(mine);
    transport->publish("a", "1");
    transport->publish("b", "2");
    EXPECT_EQ(transport->reject(*transport->claim("w", seconds(30))), Settled::done);
    EXPECT_EQ(transport->control().redrive(1), 3U);
    transport->control().suspend("a");
    EXPECT_EQ(transport->control().cancel("b", "3").dropped, 1U);
    EXPECT_EQ(transport->control().terminate("a"), 1U);
    EXPECT_EQ(transport->control().stats().groups, 1U);
    auto changed = mine;
    changed.queue = {.max_messages = 5};
    changed.change_options = true;
    EXPECT_NO_THROW(open_postgres(changed));
    EXPECT_FALSE(transport->claim_wait("w", seconds(30), 9, std::chrono::milliseconds(0)));
  }
  owner.run("GRANT " + role + " TO CURRENT_USER; DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST_F(PostgresTest, TheSchemasScriptSaysThatItIsThereAlready) {
  const Database database;
  Session owner(database.url());
  owner.run(postgres_schema());
  try {
    owner.run(postgres_schema());
    ADD_FAILURE() << "it was made twice";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("schema \"fairlane\" already exists"));
  }
}

TEST_F(PostgresTest, NoErrorRepeatsAPassword) {
  auto wrong = options();
  const std::string password = "s3cr3t-w0rd";
  for (const std::string& conninfo :
       {with_role(test::postgres_url(), "nobody-by-that-name", password),
        "postgresql://user:" + password + "@127.0.0.1:1/db",
        "postgresql://user:" + password + "/x@h/db",
        "postgresql://user:" + password + "@h:" + password + "/db",
        "host=127.0.0.1 port=1 password=" + password, "host='" + password,
        "postgresql://u:%" + password + "@h/db", "nonsense=" + password}) {
    wrong.conninfo = conninfo;
    wrong.connect_timeout = seconds(2);
    try {
      open_postgres(wrong);
      ADD_FAILURE() << "opened";
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr(password)));
      EXPECT_THAT(error.what(), Not(HasSubstr("s3cr3t")));
    }
  }
}

TEST_F(PostgresTest, AUrlNamesTheQueueAndLeavesTheRestToLibpq) {
  register_postgres();
  const auto url = with_parameter(
      test::postgres_url(), "queue=" + queue + "&application_name=by%20url&max_connections=2");
  const auto transport = fairlane::open(url, {.clock = clock});
  transport->publish("a", "1");
  EXPECT_EQ(open()->control().stats().ready, 1U);
  EXPECT_NE(Session().run("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                          "'by url'"),
            "0");
  for (const char* const wrong :
       {"nonsense=1", "max_connections=0", "pooled=2", "statement_timeout_ms=-1", "queue=a&queue=b",
        "application_name=a&application_name=b"}) {
    EXPECT_THROW(fairlane::open(with_parameter(test::postgres_url(), wrong)), std::invalid_argument)
        << wrong;
  }
  EXPECT_NO_THROW(fairlane::open(with_parameter(url, "pooled=1&create_schema=0"), {.clock = clock})
                      ->publish("a", "2"));
}

TEST_F(PostgresTest, WrongOptionsAreRefused) {
  auto wrong = options();
  wrong.clock = monotonic_clock();
  EXPECT_THROW(open_postgres(wrong), std::invalid_argument) << "the time is the server's";
  wrong = options();
  wrong.queue_name = std::string(1025, 'q');
  EXPECT_THROW(open_postgres(wrong), std::invalid_argument);
  wrong = options();
  wrong.max_connections = 0;
  EXPECT_THROW(open_postgres(wrong), std::invalid_argument);
  wrong = options();
  wrong.conninfo = std::string("host=a\0b", 8);
  EXPECT_THROW(open_postgres(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace fairlane::postgres
