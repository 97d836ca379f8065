// Servers that are away, forget, hang, are full or are cut off: an error with its code, and nothing
// is lost.
#include <signal.h>

#include <thread>

#include "redis_fixture.h"
#include "support/cutting_proxy.h"

namespace fairlane::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(RedisTest, AServerThatIsNotThereIsUnavailable) {
  options.port = 1;
  const auto error = raised_by([&] { open(); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_FALSE(error.may_be_stored());
  EXPECT_NE(std::string(error.what()).find("127.0.0.1:1"), std::string::npos) << error.what();
}

TEST_F(RedisTest, AServerThatForgotTheScriptsLearnsThemAgain) {
  const OwnServer server;
  const auto own = server.options();
  const auto queue = open_redis(own);
  Raw raw(own);
  for (int i = 0; i < 20; ++i) {
    queue->publish("a", "1");
    raw.ask({"SCRIPT", "FLUSH"});
    const auto lease = queue->claim("w", seconds(30));
    ASSERT_TRUE(lease);
    raw.ask({"SCRIPT", "FLUSH"});
    EXPECT_EQ(queue->ack(*lease), Settled::done);
  }
  EXPECT_EQ(queue->control().stats().published, 20U);
  EXPECT_EQ(queue->control().stats().groups, 0U);
}

TEST_F(RedisTest, AConnectionThatDiedIdleIsNoticedBeforeItIsUsed) {
  const OwnServer server;
  const auto own = server.options();
  const auto queue = open_redis(own);
  Raw raw(own);
  for (int i = 1; i <= 20; ++i) {
    raw.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    EXPECT_EQ(queue->publish("a", "1"), static_cast<std::uint64_t>(i));
  }
}

TEST_F(RedisTest, AServerThatIsKilledAndStartedLosesNothingItAnswered) {
  const OwnServer server;  // It writes its log before it answers.
  const auto queue = open_redis(server.options());
  queue->publish("a", "1");
  queue->publish("a", "2");
  queue->publish("b", "3");
  const auto held = queue->claim("w", seconds(300));
  queue->control().suspend("b");
  for (int i = 0; i < 3; ++i) {
    server.kill();
    const auto error = raised_by([&] { queue->publish("a", "not stored"); });
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    EXPECT_FALSE(error.may_be_stored());
    server.start();
    std::this_thread::sleep_for(milliseconds(50));  // The pause between two tries to connect.
    EXPECT_EQ(queue->control().inspect("a").messages, 2U);
  }
  EXPECT_EQ(queue->control().inspect("b").state, GroupState::suspended);
  EXPECT_EQ(queue->ack(*held), Settled::done);
  EXPECT_EQ(queue->claim("w", seconds(30))->event(), "2");
}

TEST_F(RedisTest, WhoWaitsSeesAServerThatIsAway) {
  const OwnServer server;
  const auto queue = open_redis(server.options());
  std::jthread killer([&] {
    std::this_thread::sleep_for(milliseconds(200));
    server.kill();
  });
  EXPECT_EQ(
      error_of([&] { static_cast<void>(queue->claim_wait("w", seconds(30), 0, seconds(20))); }),
      ErrorCode::unavailable);
  killer.join();
  server.start();
  std::this_thread::sleep_for(milliseconds(50));
  std::jthread publisher([&] {
    std::this_thread::sleep_for(milliseconds(200));
    queue->publish("a", "1");
  });
  EXPECT_TRUE(queue->claim_wait("w", seconds(30), 0, seconds(20)));
}

TEST_F(RedisTest, ACallWhoseAnswerIsCutOffHasAnUnknownOutcome) {
  test::CuttingProxy proxy(options.port);
  const auto direct = open();
  options.port = proxy.port();
  const auto queue = open();
  queue->publish("a", "1");
  proxy.cut(test::CuttingProxy::Cut::answer);
  const auto error = raised_by([&] { queue->publish("a", "2"); });
  EXPECT_EQ(error.code(), ErrorCode::outcome_unknown) << error.what();
  EXPECT_TRUE(error.may_be_stored());
  EXPECT_EQ(direct->control().inspect("a").messages, 2U) << "it did happen";

  queue->publish("b", "1");  // Connects anew: what is cut next shall not be a greeting.
  proxy.cut(test::CuttingProxy::Cut::request);
  EXPECT_EQ(error_of([&] { queue->publish("a", "3"); }), ErrorCode::outcome_unknown);
  EXPECT_EQ(direct->control().inspect("a").messages, 2U) << "it did not";

  queue->publish("b", "2");
  proxy.cut(test::CuttingProxy::Cut::answer);
  EXPECT_EQ(error_of([&] { queue->control().inspect("a"); }), ErrorCode::unavailable)
      << "what only reads changed nothing";
  EXPECT_EQ(queue->control().inspect("a").messages, 2U) << "the next call connects anew";
}

TEST_F(RedisTest, AClaimWhoseAnswerIsCutOffRunsOut) {
  test::CuttingProxy proxy(options.port);
  options.port = proxy.port();
  const auto queue = open();
  EXPECT_FALSE(queue->claim("w", seconds(10))) << "the server knows the script from here on";
  queue->publish("a", "1");
  proxy.cut(test::CuttingProxy::Cut::answer);
  EXPECT_EQ(error_of([&] { static_cast<void>(queue->claim("w", seconds(10))); }),
            ErrorCode::outcome_unknown);
  EXPECT_FALSE(queue->claim("w", seconds(10)));
  clock->advance(seconds(11));
  EXPECT_EQ(queue->claim("w", seconds(10))->attempt(), 2U);
}

TEST_F(RedisTest, ManyCallsUnderWayOnOneConnectionAllEndWithIt) {
  const OwnServer server;
  auto own = server.options();
  const auto queue = open_redis(own);
  std::atomic<int> stored{0};
  std::atomic<int> unknown{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 300; ++n) {
        try {
          queue->publish("g" + std::to_string(i), "event");
          ++stored;
        } catch (const TransportError& error) {
          ++(error.may_be_stored() ? unknown : refused);
        }
      }
    });
  }
  Raw raw(own);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    raw.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(stored + unknown + refused, 8 * 300);
  std::uint64_t held = 0;
  for (int i = 0; i < 8; ++i) held += queue->control().inspect("g" + std::to_string(i)).messages;
  EXPECT_GE(held, static_cast<std::uint64_t>(stored));
  EXPECT_LE(held, static_cast<std::uint64_t>(stored + unknown));
}

TEST_F(RedisTest, AServerThatHangsIsGivenUpAfterTheAnswerTimeout) {
  const OwnServer server;
  auto own = server.options();
  own.answer_timeout = milliseconds(300);
  const auto queue = open_redis(own);
  queue->publish("a", "1");
  const pid_t process = server.process();
  ASSERT_EQ(::kill(process, SIGSTOP), 0);
  const auto error = raised_by([&] { queue->publish("a", "2"); });
  EXPECT_EQ(error.code(), ErrorCode::outcome_unknown) << error.what();
  EXPECT_EQ(error_of([&] { queue->control().inspect("a"); }), ErrorCode::unavailable);
  ASSERT_EQ(::kill(process, SIGCONT), 0);
  for (int i = 0; i < 100; ++i) {
    try {
      EXPECT_EQ(queue->control().inspect("a").messages, 2U) << "the late one was carried out";
      return;
    } catch (const TransportError&) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  FAIL() << "it does not come back";
}

TEST_F(RedisTest, AServerWithoutMemoryRefusesWhatNeedsItAndLetsTheRestGo) {
  const OwnServer server;
  auto own = server.options();
  own.queue = {.rotation = Rotation::ready_order, .max_attempts = 5, .max_messages = 1'000'000};
  const auto queue = open_redis(own);
  for (int i = 0; i < 50; ++i) {
    queue->publish("g" + std::to_string(i % 10), std::string(1000, 'e'), i % 3);
  }
  const auto before = queue->control().stats();
  Raw raw(own);
  raw.ask({"CONFIG", "SET", "maxmemory", "1"});
  const auto error = raised_by([&] { queue->publish("new", "x"); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
  EXPECT_FALSE(error.may_be_stored());
  EXPECT_EQ(error_of([&] { queue->control().cancel("none", "x"); }), ErrorCode::unavailable);
  EXPECT_EQ(queue->control().inspect("new").state, GroupState::absent);
  EXPECT_EQ(queue->control().inspect("none").state, GroupState::absent);
  EXPECT_TRUE(queue->claim("w", milliseconds(1)));
  // Leases run out, and messages are claimed, put back, given up and acked, all the same.
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(queue->control().stats().groups, before.groups);
  const auto parked = queue->claim("w", seconds(30));
  ASSERT_TRUE(parked);
  EXPECT_EQ(queue->nack(*parked, milliseconds(1)), Settled::done);
  EXPECT_EQ(queue->reject(*queue->claim("w", seconds(30)), "no"), Settled::done);
  EXPECT_EQ(queue->release(*queue->claim("w", seconds(30))), Settled::done);
  EXPECT_EQ(queue->extend(*queue->claim("w", milliseconds(1)), milliseconds(2)), Settled::done);
  EXPECT_EQ(queue->control().terminate("g9"), 5U);
  int acked = 0;
  while (auto lease = queue->claim_wait("w", seconds(30), 0, milliseconds(100))) {
    while (lease) {
      ++acked;
      lease = queue->ack_claim(*lease, "w", seconds(30)).lease;
    }
  }
  EXPECT_EQ(acked, 50 - 1 - 5);
  raw.ask({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(queue->control().stats().groups, 0U);
  EXPECT_EQ(queue->publish("new", "x"), 51U) << "a refused publish consumes no seq";
}

TEST_F(RedisTest, AHugeEventGoesThrough) {
  const auto queue = open();
  std::string huge(20'000'000, 'x');
  for (std::size_t i = 0; i < huge.size(); i += 997) huge[i] = static_cast<char>(i);
  queue->publish("a", Bytes(huge));
  queue->publish("a", "small");
  const auto lease = queue->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->event() == huge);
  EXPECT_EQ(queue->reject(*lease, "big"), Settled::done);
  EXPECT_TRUE(*queue->control().dead_letters(1).at(0).event == huge);
  EXPECT_EQ(queue->control().redrive(1), 3U);
  EXPECT_EQ(queue->control().terminate("a"), 2U);
}

}  // namespace
}  // namespace fairlane::redis
