// Who waits is told what another process did, at once and without asking again and again.
#include <atomic>
#include <future>
#include <thread>

#include "redis_fixture.h"

namespace fairlane::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

class RedisWaitingTest : public RedisTest {
 protected:
  /// On the server's clock, as two processes would.
  void SetUp() override {
    options.clock = nullptr;
    mine = open();
    other = open();
  }

  /// How long after `act` a waiter returned, the shortest of some: a look comes each second only,
  /// so what takes less was told.
  template <class Prepare, class Act>
  milliseconds shortest_wake(Prepare prepare, Act act) {
    auto shortest = milliseconds::max();
    for (int i = 0; i < 5; ++i) {
      prepare();
      auto waiting = std::async(std::launch::async, [&] {
        const auto lease = mine->claim_wait("w", seconds(30), 0, seconds(20));
        const auto woken = SteadyClock::now();
        EXPECT_TRUE(lease && mine->ack(*lease) == Settled::done);
        return woken;
      });
      std::this_thread::sleep_for(milliseconds(100));
      const auto acted = SteadyClock::now();
      act();
      shortest =
          std::min(shortest, std::chrono::duration_cast<milliseconds>(waiting.get() - acted));
    }
    return shortest;
  }

  static constexpr milliseconds prompt{300};
  std::unique_ptr<Transport<Bytes>> mine;
  std::unique_ptr<Transport<Bytes>> other;
};

TEST_F(RedisWaitingTest, APublishIsTold) {
  EXPECT_LT(shortest_wake([] {}, [&] { other->publish("a", "from afar"); }), prompt);
}

TEST_F(RedisWaitingTest, AnAckThatFreesAFollowerIsTold) {
  std::optional<Lease<Bytes>> held;
  const auto wake = shortest_wake(
      [&] {
        other->publish("a", "1");
        held = other->claim("w", seconds(30));
        other->publish("a", "2");
      },
      [&] { EXPECT_EQ(other->ack(*held), Settled::done); });
  EXPECT_LT(wake, prompt);
}

TEST_F(RedisWaitingTest, AResumeIsTold) {
  const auto wake = shortest_wake(
      [&] {
        other->control().suspend("a");
        other->publish("a", "1");
      },
      [&] { other->control().resume("a"); });
  EXPECT_LT(wake, prompt);
}

TEST_F(RedisWaitingTest, AShortParkThatBeginsWhileSomebodyWaitsIsTold) {
  std::optional<Lease<Bytes>> held;
  const auto wake = shortest_wake(
      [&] {
        other->publish("a", "1");
        held = other->claim("w", seconds(30));
      },
      [&] { EXPECT_EQ(other->nack(*held, milliseconds(50)), Settled::done); });
  EXPECT_GE(wake, milliseconds(50));
  EXPECT_LT(wake, milliseconds(50) + prompt);
}

TEST_F(RedisWaitingTest, ALeaseThatRunsOutIsSeen) {
  other->publish("a", "1");
  const auto held = other->claim("dies", milliseconds(1500));
  const auto began = SteadyClock::now();
  const auto lease = mine->claim_wait("w", seconds(30), 0, seconds(20));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 2U);
  EXPECT_LT(SteadyClock::now() - began, seconds(5));
}

TEST_F(RedisWaitingTest, AnAckOfAnotherMakesRoom) {
  auto limited = options;
  limited.queue = {.max_messages = 1};
  limited.change_options = true;
  const auto full = open_redis(limited);
  full->publish("a", "1");
  auto waiting =
      std::async(std::launch::async, [&] { return full->publish_wait("b", "2", 0, seconds(20)); });
  std::this_thread::sleep_for(milliseconds(100));
  const auto acted = SteadyClock::now();
  EXPECT_EQ(other->ack(*other->claim("w", seconds(30))), Settled::done);
  EXPECT_EQ(waiting.get(), 2U);
  EXPECT_LT(SteadyClock::now() - acted, milliseconds(700));
}

TEST_F(RedisWaitingTest, EachOfManyMessagesFindsOneOfManyWaiters) {
  constexpr int count = 24;
  std::vector<std::future<std::optional<Lease<Bytes>>>> waiting;
  for (int i = 0; i < count; ++i) {
    waiting.push_back(std::async(std::launch::async, [&, i] {
      return (i % 3 == 0 ? other : mine)->claim_wait("w", seconds(300), 0, seconds(60));
    }));
  }
  std::this_thread::sleep_for(milliseconds(50));
  for (int i = 0; i < count; ++i) {
    (i % 2 == 0 ? mine : other)->publish("g" + std::to_string(i), "event");
  }
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_EQ(mine->control().stats().leased, static_cast<std::uint64_t>(count));
}

TEST_F(RedisWaitingTest, ThreadsOfTwoTransportsShareTheWork) {
  constexpr int messages = 1'000;
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      auto& queue = i % 2 == 0 ? *mine : *other;
      while (const auto lease = queue.claim_wait("w", seconds(30), 0, seconds(3))) {
        if (queue.ack(*lease) == Settled::done) ++done;
      }
    });
  }
  for (int i = 0; i < messages; ++i) {
    (i % 2 == 0 ? mine : other)->publish("g" + std::to_string(i % 7), "event");
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, messages);
}

TEST_F(RedisWaitingTest, WaitingAsksTheServerOnceASecond) {
  const OwnServer server;
  auto own = server.options();
  const auto queue = open_redis(own);
  Raw raw(own);
  std::vector<std::future<bool>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] {
      return queue->claim_wait("w", seconds(30), 0, seconds(5)).has_value();
    }));
  }
  std::this_thread::sleep_for(seconds(1));
  const auto before = raw.info("stats", "total_commands_processed:");
  std::this_thread::sleep_for(seconds(3));
  // A look is a script of six commands, and there are four looks at the most.
  const auto asked = raw.info("commandstats", "cmdstat_evalsha:calls=");
  EXPECT_LT(raw.info("stats", "total_commands_processed:") - before, 40U);
  for (auto& each : waiting) EXPECT_FALSE(each.get());
  EXPECT_LT(asked, 8U * 3U + 8U);
}

TEST_F(RedisWaitingTest, WhoWaitsOutlivesALossOfTheChannel) {
  const OwnServer server;
  auto own = server.options();
  const auto waiter = open_redis(own);
  const auto publisher = open_redis(own);
  Raw raw(own);
  auto waiting = std::async(std::launch::async,
                            [&] { return waiter->claim_wait("w", seconds(30), 0, seconds(20)); });
  std::this_thread::sleep_for(milliseconds(200));
  raw.ask({"CLIENT", "KILL", "TYPE", "pubsub"});
  publisher->publish("a", "1");
  EXPECT_TRUE(waiting.get());
}

TEST_F(RedisWaitingTest, CloseEndsThoseWhoWait) {
  auto waiting = std::async(std::launch::async, [&] {
    return error_of([&] { static_cast<void>(mine->claim_wait("w", seconds(30), 0, seconds(20))); });
  });
  std::this_thread::sleep_for(milliseconds(100));
  const auto began = SteadyClock::now();
  mine->close();
  EXPECT_EQ(waiting.get(), ErrorCode::closed);
  EXPECT_LT(SteadyClock::now() - began, seconds(5));
  mine->close();
  EXPECT_EQ(error_of([&] { mine->publish("a", "1"); }), ErrorCode::closed);
}

}  // namespace
}  // namespace fairlane::redis
