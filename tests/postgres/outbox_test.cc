// Publishing inside the caller's own transaction.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "postgres_fixture.h"

namespace fairlane::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class PostgresOutboxTest : public PostgresTest {
 protected:
  std::string publish(const std::string& group, const std::string& event,
                      const std::string& more = "") const {
    return "SELECT fairlane.publish('" + queue + "', '" + group + "', '" + event + "'" + more + ")";
  }
  static std::string fault_of(Session& session, const std::string& sql) {
    try {
      session.run(sql);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  const std::unique_ptr<Transport<Bytes>> transport = open_by_server_clock();
};

TEST_F(PostgresOutboxTest, WhatItPublishesIsThereWhenTheTransactionCommits) {
  Session session;
  session.run("BEGIN");
  EXPECT_EQ(session.run(publish("g", "1", ", 5")), "1");
  EXPECT_EQ(session.run(publish("g", "2", ", 6")), "2");
  EXPECT_FALSE(transport->claim("w", seconds(30)));
  EXPECT_EQ(transport->control().stats().groups, 0U);
  session.run("COMMIT");
  EXPECT_EQ(transport->control().inspect("g").priority, 5);
  EXPECT_EQ(transport->claim("w", seconds(30))->event(), "1");
}

TEST_F(PostgresOutboxTest, ARollbackLeavesNothing) {
  Session session;
  session.run("BEGIN");
  session.run(publish("g", "1"));
  session.run("ROLLBACK");
  EXPECT_EQ(transport->control().stats().groups, 0U);
  EXPECT_EQ(session.run("SELECT count(*) FROM fairlane.active_group WHERE queue = " + id_of(queue)),
            "0");
  EXPECT_NO_THROW(transport->publish("g", "2"));
  EXPECT_EQ(transport->claim("w", seconds(30))->event(), "2");
}

TEST_F(PostgresOutboxTest, ItsCommitWakesWhoWaits) {
  auto waiting = std::async(
      std::launch::async, [&] { return transport->claim_wait("w", seconds(30), 0, seconds(20)); });
  std::this_thread::sleep_for(milliseconds(300));
  Session session;
  session.run("BEGIN");
  session.run(publish("g", "1"));
  EXPECT_EQ(waiting.wait_for(milliseconds(100)), std::future_status::timeout);
  session.run("COMMIT");
  EXPECT_EQ(waiting.wait_for(milliseconds(700)), std::future_status::ready) << "nobody told it";
  EXPECT_TRUE(waiting.get());
}

TEST_F(PostgresOutboxTest, ABatchGoesIntoSeveralGroups) {
  Session session;
  EXPECT_EQ(session.run("SELECT fairlane.publish_batch('" + queue +
                        "', '{b,a,b}', '{1,2,3}', '{7,8,9}')"),
            "{1,2,3}");
  EXPECT_EQ(transport->control().inspect("b").priority, 7);
  EXPECT_EQ(transport->control().inspect("b").messages, 2U);
  EXPECT_EQ(session.run("SELECT fairlane.publish_batch('" + queue + "', '{}', '{}')"), "{}");
  EXPECT_THAT(fault_of(session, "SELECT fairlane.publish_batch('" + queue + "', '{a,b}', '{1}')"),
              HasSubstr("as many events"));
}

TEST_F(PostgresOutboxTest, ItHoldsToTheLimits) {
  auto limited = by_server_clock();
  limited.queue = {.max_messages = 2, .max_event_bytes = 3};
  limited.change_options = true;
  const auto other = open_postgres(limited);
  Session session;
  EXPECT_THAT(fault_of(session, publish("g", "four")), HasSubstr("at most 3 bytes"));
  session.run(publish("g", "1"));
  session.run(publish("h", "2"));
  EXPECT_THAT(fault_of(session, publish("g", "3")), HasSubstr("no room"));
  EXPECT_EQ(transport->ack(*transport->claim("w", seconds(30))), Settled::done);
  session.run("BEGIN");
  session.run(publish("g", "3"));
  session.run("ROLLBACK");
  EXPECT_NO_THROW(transport->publish("g", "4")) << "the count was rolled back too";
}

TEST_F(PostgresOutboxTest, StricterIsolationIsRefusedByName) {
  Session session;
  for (const char* const level : {"REPEATABLE READ", "SERIALIZABLE"}) {
    session.run(std::string("BEGIN ISOLATION LEVEL ") + level);
    EXPECT_THAT(fault_of(session, publish("g", "1")), HasSubstr("READ COMMITTED"));
    session.run("ROLLBACK");
  }
}

TEST_F(PostgresOutboxTest, WrongArgumentsAreRefusedByName) {
  Session session;
  EXPECT_THAT(fault_of(session, "SELECT fairlane.publish('none such', 'g', 'e')"),
              HasSubstr("no queue named \"none such\""));
  EXPECT_THAT(fault_of(session, "SELECT fairlane.publish('" + queue +
                                    "', convert_to(repeat('g', 1025), 'UTF8'), 'e')"),
              HasSubstr("1025 bytes; at most 1024"));
}

}  // namespace
}  // namespace fairlane::postgres
