// Who waits is woken by what another process does, and asks the server nothing meanwhile.
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "postgres_fixture.h"

namespace fairlane::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

/// Sooner than any look that nobody was told to make.
constexpr milliseconds prompt{700};

class PostgresWaitingTest : public PostgresTest {
 protected:
  void SetUp() override {
    mine = open_by_server_clock();
    other = open_by_server_clock();
  }

  using Leased = std::optional<Lease<Bytes>>;
  std::future<Leased> wait(std::int32_t floor = 0) {
    auto waiting = std::async(std::launch::async, [this, floor] {
      return mine->claim_wait("waiter", seconds(30), floor, seconds(20));
    });
    await_waiters();
    return waiting;
  }
  /// Returns once somebody who waits for this queue has registered.
  void await_waiters() const {
    Session session;
    while (session.run("SELECT count(*) FROM fairlane.waiter WHERE queue = " + id_of(queue) +
                       " AND until > clock_timestamp()") == "0") {
      std::this_thread::sleep_for(milliseconds(2));
    }
    std::this_thread::sleep_for(milliseconds(100));  // Its try after that, and to sleep.
  }
  /// What came, and that it came because it was told.
  template <class Value>
  static Value promptly(std::future<Value>& waiting) {
    EXPECT_EQ(waiting.wait_for(prompt), std::future_status::ready) << "nobody told it";
    return waiting.get();
  }

  std::unique_ptr<Transport<Bytes>> mine;
  std::unique_ptr<Transport<Bytes>> other;
};

TEST_F(PostgresWaitingTest, APublishOfAnotherProcessWakes) {
  auto waiting = wait();
  other->publish("a", "from afar");
  const auto lease = promptly(waiting);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "from afar");
}

TEST_F(PostgresWaitingTest, APublishJustBeforeTheProcessClosesWakes) {
  auto waiting = wait();
  other->publish("a", "last words");
  other->close();
  EXPECT_TRUE(promptly(waiting));
}

TEST_F(PostgresWaitingTest, AnAckOfAnotherProcessThatFreesAFollowerWakes) {
  mine->publish("a", "1");
  mine->publish("a", "2");
  const auto held = other->claim("w", seconds(30));
  auto waiting = wait();
  EXPECT_EQ(other->ack(*held), Settled::done);
  EXPECT_EQ(promptly(waiting)->event(), "2");
}

TEST_F(PostgresWaitingTest, ANackAReleaseAndAResumeOfAnotherProcessWake) {
  mine->publish("a", "1");
  const auto held = other->claim("w", seconds(30));
  auto nacked = wait();
  EXPECT_EQ(other->nack(*held), Settled::done);
  auto lease = promptly(nacked);
  ASSERT_TRUE(lease);
  auto released = wait();
  EXPECT_EQ(other->release(*lease), Settled::done);
  lease = promptly(released);
  ASSERT_TRUE(lease);
  other->control().suspend("a");
  EXPECT_EQ(other->release(*lease), Settled::done);
  auto resumed = wait();
  other->control().resume("a");
  EXPECT_TRUE(promptly(resumed));
}

TEST_F(PostgresWaitingTest, AParkOfAnotherProcessThatEndsSoonWakesInTime) {
  mine->publish("a", "1");
  const auto held = other->claim("w", seconds(30));
  auto waiting = wait();
  const auto before = SteadyClock::now();
  EXPECT_EQ(other->nack(*held, milliseconds(250)), Settled::done);
  EXPECT_TRUE(promptly(waiting));
  EXPECT_GE(SteadyClock::now() - before, milliseconds(250)) << "never early";
}

TEST_F(PostgresWaitingTest, ALeaseThatRunsOutLaterWakesAtThatInstant) {
  mine->publish("a", "1");
  const auto before = SteadyClock::now();
  EXPECT_TRUE(other->claim("dies", milliseconds(2300)));
  auto waiting = wait();
  const auto lease = waiting.get();
  const auto took = SteadyClock::now() - before;
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 2U);
  EXPECT_GE(took, milliseconds(2300));
  EXPECT_LT(took, milliseconds(2300) + prompt);
}

TEST_F(PostgresWaitingTest, AnAckOfAnotherProcessMakesRoom) {
  auto limited = by_server_clock();
  limited.queue = {.max_messages = 1};
  limited.change_options = true;
  const auto third = open_postgres(limited);
  third->publish("a", "1");
  auto waiting =
      std::async(std::launch::async, [&] { return mine->publish_wait("b", "2", 0, seconds(20)); });
  await_waiters();
  EXPECT_EQ(other->ack(*other->claim("w", seconds(30))), Settled::done);
  EXPECT_EQ(promptly(waiting), 2U);
}

TEST_F(PostgresWaitingTest, AGroupBelowTheFloorWakesNobody) {
  auto waiting = wait(5);
  other->publish("low", "1", 4);
  EXPECT_EQ(waiting.wait_for(milliseconds(300)), std::future_status::timeout);
  other->publish("high", "2", 5);
  EXPECT_EQ(promptly(waiting)->event(), "2");
}

TEST_F(PostgresWaitingTest, WhoWaitsAsksOnceASecondHoweverManyTheyAre) {
  std::vector<std::future<Leased>> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(wait());
  Session session;
  const auto registered = [&] {
    return session.run("SELECT until FROM fairlane.waiter WHERE queue = " + id_of(queue));
  };
  int looks = 0;  // Each registers anew.
  auto last = registered();
  const auto end = SteadyClock::now() + milliseconds(3200);
  while (SteadyClock::now() < end) {
    const auto now = registered();
    if (now != last) ++looks;
    last = now;
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_GE(looks, 2);
  EXPECT_LE(looks, 5);
  for (int i = 0; i < 20; ++i) other->publish("g" + std::to_string(i), "e");
  for (auto& each : waiting) EXPECT_TRUE(each.get());
}

TEST_F(PostgresWaitingTest, EachOfManyMessagesFindsOneOfManyWaiters) {
  constexpr int count = 24;
  std::vector<std::future<Leased>> waiting;
  for (int i = 0; i < count; ++i) {
    auto& transport = i % 3 == 0 ? *other : *mine;
    waiting.push_back(std::async(std::launch::async, [&transport] {
      return transport.claim_wait("w", seconds(300), 0, seconds(60));
    }));
  }
  await_waiters();
  const auto before = SteadyClock::now();
  for (int i = 0; i < count; ++i) {
    (i % 2 == 0 ? mine : other)->publish("g" + std::to_string(i), "event");
  }
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_LT(SteadyClock::now() - before, seconds(10));
  EXPECT_EQ(mine->control().stats().leased, static_cast<std::uint64_t>(count));
}

TEST_F(PostgresWaitingTest, WaitingGoesOnAfterTheListeningConnectionIsLost) {
  auto waiting = wait();
  Session session;
  session.run("SELECT pg_terminate_backend(pid) FROM fairlane.waiter WHERE queue = " +
              id_of(queue));
  std::this_thread::sleep_for(milliseconds(200));
  other->publish("a", "1");
  EXPECT_TRUE(promptly(waiting));
}

TEST_F(PostgresWaitingTest, CloseEndsEveryWait) {
  auto waiting = wait();
  mine->close();
  EXPECT_EQ(error_of([&] { waiting.get(); }), ErrorCode::closed);
  EXPECT_EQ(error_of([&] { mine->publish("a", "1"); }), ErrorCode::closed);
  EXPECT_NO_THROW(mine->close());
}

}  // namespace
}  // namespace fairlane::postgres
