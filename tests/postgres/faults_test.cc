// Servers that go, come back, refuse or do not answer: which error, and nothing is lost.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "postgres/connection.h"
#include "postgres_fixture.h"
#include "programs.h"
#include "support/cutting_proxy.h"
#include "support/temporary_folder.h"

namespace fairlane::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

/// A server that a test may kill, start and freeze.
class OwnServer {
 public:
  PostgresOptions options() const {
    return {.conninfo = server_.url(), .queue_name = test::fresh_name()};
  }
  void kill() const { server_.kill(); }
  void start() const { server_.start(); }
  const std::string& url() const noexcept { return server_.url(); }
  /// Who gets in by the socket alone.
  void run_as_superuser(const std::string& sql) const {
    const auto port = url().substr(url().rfind(':') + 1, url().rfind('/') - url().rfind(':') - 1);
    Session("host=" + parent_.path() + "/server port=" + port + " user=postgres dbname=postgres")
        .run(sql);
  }

 private:
  /// The server's user, if it is another one, has to come through.
  static const std::string& opened(const std::string& folder) {
    ::chmod(folder.c_str(), 0711);
    return folder;
  }

  const test::TemporaryFolder parent_;
  const torture::Server server_{FAIRLANE_TESTS_FOLDER "/servers/postgres",
                                opened(parent_.path()) + "/server"};
};

/// The port of the tests' server, and its URL with another one.
int port_of(const std::string& url) {
  const Session session(url);
  return std::stoi(PQport(session.handle()));
}
std::string with_port(const std::string& url, int port) {
  return with_parameter(url, "host=127.0.0.1&port=" + std::to_string(port));
}

/// Calls again while the server is away, and while it is not yet time to try it again.
template <class Call>
auto insist(Call call) {
  for (int left = 500;; --left) {
    try {
      return call();
    } catch (const TransportError& error) {
      if (error.code() != ErrorCode::unavailable || left == 0) throw;
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
}

TEST_F(PostgresTest, IdleConnectionsThatARestartEndedCostNoCall) {
  const OwnServer server;
  const auto transport = open_postgres(server.options());
  transport->publish("a", "1");
  const auto lease = transport->claim("w", seconds(300));
  server.kill();
  server.start();
  // No error; a server that did not end in order leaves a gap of up to 32 numbers.
  EXPECT_GT(transport->publish("a", "2"), 1U);
  EXPECT_EQ(transport->ack(*lease), Settled::done) << "leases survive the server";
  EXPECT_EQ(transport->claim("w", seconds(30))->event(), "2");
}

TEST_F(PostgresTest, WhileTheServerIsAwayCallsAreUnavailableAtOnceAndThenWorkAgain) {
  const OwnServer server;
  const auto transport = open_postgres(server.options());
  transport->publish("a", "1");
  server.kill();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    const auto error = raised_by([&] { transport->publish("a", "2"); });
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    EXPECT_FALSE(error.may_be_stored());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(2));
  server.start();
  insist([&] { return transport->publish("a", "3"); });
  EXPECT_EQ(transport->control().inspect("a").messages, 2U);
}

TEST_F(PostgresTest, WhoWaitsIsToldThatTheServerWent) {
  const OwnServer server;
  const auto transport = open_postgres(server.options());
  auto waiting = std::async(
      std::launch::async, [&] { return transport->claim_wait("w", seconds(30), 0, seconds(30)); });
  std::this_thread::sleep_for(milliseconds(300));
  server.kill();
  EXPECT_EQ(error_of([&] { waiting.get(); }), ErrorCode::unavailable);
  server.start();
  const std::jthread publisher([&] {
    std::this_thread::sleep_for(milliseconds(1200));
    insist([&] { return transport->publish("a", "1"); });
  });
  EXPECT_TRUE(insist([&] { return transport->claim_wait("w", seconds(30), 0, seconds(20)); }));
}

TEST_F(PostgresTest, AServerThatDoesNotAnswerIsNotWaitedForForEver) {
  const OwnServer server;
  auto impatient = server.options();
  impatient.statement_timeout = milliseconds(100);
  const auto transport = open_postgres(impatient);
  transport->publish("a", "1");
  std::this_thread::sleep_for(milliseconds(100));
  std::vector<pid_t> frozen;
  {
    Session session(server.url());
    const auto pids = session.run(
        "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'");
    for (std::size_t at = 0; at < pids.size(); at = pids.find(' ', at) + 1) {
      frozen.push_back(std::stoi(pids.substr(at)));
      if (pids.find(' ', at) == std::string::npos) break;
    }
  }
  for (const pid_t each : frozen) ASSERT_EQ(::kill(each, SIGSTOP), 0);
  const auto error = raised_by([&] { transport->publish("a", "2"); });
  for (const pid_t each : frozen) ::kill(each, SIGCONT);
  EXPECT_EQ(error.code(), ErrorCode::outcome_unknown) << error.what();
}

TEST_F(PostgresTest, ACallWhoseAnswerIsCutOffHasAnUnknownOutcome) {
  test::CuttingProxy proxy(port_of(test::postgres_url()));
  const auto direct = open();
  auto through = options();
  through.conninfo = with_port(test::postgres_url(), proxy.port());
  const auto transport = open_postgres(through);
  transport->publish("a", "1");
  static_cast<void>(transport->control().inspect("a"));
  std::this_thread::sleep_for(milliseconds(200));  // The others are told.
  proxy.cut(test::CuttingProxy::Cut::answer);
  const auto error = raised_by([&] { transport->publish("a", "2"); });
  EXPECT_EQ(error.code(), ErrorCode::outcome_unknown) << error.what();
  EXPECT_TRUE(error.may_be_stored());
  EXPECT_EQ(direct->control().inspect("a").messages, 2U) << "it did happen";

  // Connects anew: what is cut next shall not be a greeting, nor a preparation.
  transport->publish("a", "3");
  static_cast<void>(transport->control().inspect("a"));
  std::this_thread::sleep_for(milliseconds(200));
  proxy.cut(test::CuttingProxy::Cut::request);
  EXPECT_EQ(error_of([&] { transport->publish("a", "4"); }), ErrorCode::outcome_unknown);
  EXPECT_EQ(direct->control().inspect("a").messages, 3U) << "it did not";

  static_cast<void>(transport->control().inspect("a"));
  std::this_thread::sleep_for(milliseconds(200));
  proxy.cut(test::CuttingProxy::Cut::answer);
  EXPECT_EQ(error_of([&] { transport->control().inspect("a"); }), ErrorCode::unavailable)
      << "what only looks changed nothing";
  EXPECT_EQ(transport->control().inspect("a").messages, 3U) << "the next call connects anew";
}

/// One that waits for a lock in the midst of its work.
class PostgresBlockedTest : public PostgresTest {
 protected:
  void SetUp() override {
    transport = open();
    transport->publish("a", "1");
    holder.run("BEGIN");
    holder.run("SELECT fairlane.publish('" + queue + "', 'a', '2')");
  }
  /// The connection that waits for the lock on the group.
  static std::string blocked() {
    return "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory' AND "
           "query LIKE '%call_publish%'";
  }
  void end_by(const std::string& function) {
    auto call = std::async(std::launch::async, [&] { transport->publish("a", "3"); });
    Session session;
    const auto pid = std::to_string(PQbackendPID(holder.handle()));
    while (session.run("SELECT count(*) " + blocked() + " AND " + pid +
                       " = ANY (pg_blocking_pids(pid))") == "0") {
      std::this_thread::sleep_for(milliseconds(2));
    }
    session.run("SELECT " + function + "(pid) " + blocked() + " AND " + pid +
                " = ANY (pg_blocking_pids(pid))");
    const auto error = raised_by([&] { call.get(); });
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    EXPECT_FALSE(error.may_be_stored());
    EXPECT_THAT(error.what(), Not(HasSubstr("SELECT")));
    holder.run("COMMIT");
    EXPECT_EQ(transport->control().inspect("a").messages, 2U) << "it was undone";
    EXPECT_NO_THROW(transport->publish("a", "3"));
  }

  Session holder;
  std::unique_ptr<Transport<Bytes>> transport;
};

TEST_F(PostgresBlockedTest, AConnectionThatTheServerEndsInTheMidstStoredNothing) {
  end_by("pg_terminate_backend");
}

TEST_F(PostgresBlockedTest, ACallThatTheServerCancelsStoredNothing) { end_by("pg_cancel_backend"); }

TEST_F(PostgresBlockedTest, ACallThatTakesLongerThanTheTimeoutStoredNothing) {
  auto impatient = options();
  impatient.statement_timeout = milliseconds(100);
  const auto other = open_postgres(impatient);
  const auto error = raised_by([&] { other->publish("a", "3"); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
  EXPECT_THAT(error.what(), HasSubstr("timeout"));
  holder.run("COMMIT");
  EXPECT_EQ(other->control().inspect("a").messages, 2U);
  EXPECT_NO_THROW(other->publish("a", "3")) << "on the same connection";
}

TEST_F(PostgresTest, ADeadlockWithACallersTransactionIsTriedAgain) {
  const auto transport = open_by_server_clock();
  transport->publish("a", "1");
  transport->publish("b", "2");
  const auto a = transport->claim("w", seconds(60));
  const auto b = transport->claim("w", seconds(60));
  Session holder;
  holder.run("BEGIN");
  holder.run("SELECT fairlane.publish('" + queue + "', 'b', '3')");
  auto acked = std::async(std::launch::async, [&] {
    return transport->ack_batch(std::vector<Lease<Bytes>>{*a, *b});
  });
  while (Session().run("SELECT count(*) FROM pg_stat_activity WHERE " +
                       std::to_string(PQbackendPID(holder.handle())) +
                       " = ANY (pg_blocking_pids(pid))") == "0") {
    std::this_thread::sleep_for(milliseconds(2));
  }
  // It drains a and waits for b, which this transaction publishes into; now that wants a.
  bool undone = false;
  try {
    holder.run("SELECT fairlane.publish('" + queue + "', 'a', '4')");
    holder.run("COMMIT");
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("deadlock"));
    holder.run("ROLLBACK");
    undone = true;
  }
  EXPECT_EQ(acked.get(), (std::vector{Settled::done, Settled::done}));
  EXPECT_EQ(transport->control().stats().groups, undone ? 0U : 2U);
}

TEST_F(PostgresTest, ASessionThatForgetsWhatWasPreparedIsServedAllTheSame) {
  // As one is met behind a proxy that gives each transaction another session of the server's.
  Target target = parse_target(test::postgres_url());
  Connection connection(target);
  constexpr Statement one{"fairlane_test_one", "SELECT $1::int"};
  EXPECT_EQ(connection.execute(one, Parameters(std::int32_t{1})).int32(0), 1);
  connection.run("DEALLOCATE ALL");
  EXPECT_EQ(connection.execute(one, Parameters(std::int32_t{2})).int32(0), 2);
  EXPECT_EQ(connection.execute(one, Parameters(std::int32_t{3})).int32(0), 3);
  Connection other(target);
  other.run("PREPARE fairlane_test_one(int) AS SELECT $1::int");
  EXPECT_EQ(other.execute(one, Parameters(std::int32_t{4})).int32(0), 4);
}

TEST_F(PostgresTest, AnIdleConnectionThatTheServerEndedIsNoticedBeforeItIsUsed) {
  const Database database;
  auto mine = options();
  mine.conninfo = database.url();
  const auto transport = open_postgres(mine);
  Session session(database.url());
  for (std::uint64_t i = 1; i <= 20; ++i) {
    session.run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'");
    EXPECT_EQ(transport->publish("a", "1"), i);
  }
}

TEST_F(PostgresTest, WhatTheServerRemarksReachesNobody) {
  ::testing::internal::CaptureStderr();
  Target target = parse_target(test::postgres_url());
  Connection connection(target);
  connection.run("DO $$ BEGIN RAISE WARNING 'a remark'; END $$");
  connection.run("SET client_min_messages = debug5");
  connection.run("DO $$ BEGIN RAISE NOTICE 'another'; END $$");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PostgresTest, WhatTheServerRemarksWhileConnectingReachesNobody) {
  const OwnServer server;
  server.run_as_superuser("UPDATE pg_database SET datcollversion = 'another'");
  ::testing::internal::CaptureStderr();
  open_postgres(server.options())->publish("a", "1");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PostgresTest, PooledCallsNeedNothingOfTheSession) {
  auto pooled = options();
  pooled.pooled = true;
  const auto transport = open_postgres(pooled);
  EXPECT_EQ(transport->publish("a", "1"), 1U);
  EXPECT_EQ(transport->ack(*transport->claim("w", seconds(30))), Settled::done);
}

TEST_F(PostgresTest, PooledWaitingLooksAndLeavesNoListenBehind) {
  PostgresOptions pooled{.conninfo = test::postgres_url(), .queue_name = queue};
  const auto publishes = open_postgres(pooled);
  pooled.pooled = true;
  const auto waits = open_postgres(pooled);
  auto lease = std::async(std::launch::async,
                          [&] { return waits->claim_wait("w", seconds(30), 0, seconds(60)); });
  publishes->publish("a", "1");
  ASSERT_EQ(lease.wait_for(seconds(10)), std::future_status::ready);
  EXPECT_EQ(lease.get()->seq(), 1U);
  EXPECT_EQ(Session().run("SELECT count(*) FROM fairlane.waiter WHERE queue = " + id_of(queue)),
            "0");
}

TEST_F(PostgresTest, ADatabaseWhoseTransactionsAreStricterByDefaultIsServedOrRefusedByName) {
  const Database database;
  Session(database.url())
      .run("ALTER DATABASE " + database.name() +
           " SET default_transaction_isolation = 'repeatable read'");
  auto mine = options();
  mine.conninfo = database.url();
  EXPECT_EQ(open_postgres(mine)->publish("a", "1"), 1U);
  mine.pooled = true;
  const auto pooled = open_postgres(mine);
  const auto error = raised_by([&] { pooled->publish("a", "2"); });
  EXPECT_EQ(error.code(), ErrorCode::incompatible);
  EXPECT_THAT(error.what(), HasSubstr("READ COMMITTED"));
}

TEST_F(PostgresTest, AnEventThatNoMessageToTheServerCanHoldIsTooLarge) {
  const auto transport = open();
  Bytes event(0x4000'0000, 'e');
  EXPECT_EQ(error_of([&] { transport->publish("a", std::move(event)); }), ErrorCode::too_large);
  EXPECT_EQ(event.size(), 0x4000'0000U) << "it is still the caller's";
}

}  // namespace
}  // namespace fairlane::postgres
