// Who waits sees what another transport of the same file does, and what ends by itself.
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "sqlite_fixture.h"

namespace fairlane::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SqliteWaitingTest : public SqliteTest {
 protected:
  std::unique_ptr<Transport<Bytes>> open_by_host_clock() const {
    auto by_host = options();
    by_host.clock = nullptr;
    return open_sqlite(by_host);
  }
};

TEST_F(SqliteWaitingTest, APublishOfAnotherTransportIsSeen) {
  const auto mine = open_by_host_clock();
  const auto other = open_by_host_clock();
  auto waiting = std::async(std::launch::async,
                            [&] { return mine->claim_wait("w", seconds(30), 0, seconds(20)); });
  std::this_thread::sleep_for(milliseconds(50));
  other->publish("a", "from afar");
  const auto lease = waiting.get();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "from afar");
}

TEST_F(SqliteWaitingTest, AnAckOfAnotherTransportMakesRoom) {
  auto limited = options();
  limited.clock = nullptr;
  limited.queue = {.max_messages = 1};
  const auto mine = open_sqlite(limited);
  const auto other = open_by_host_clock();
  mine->publish("a", "1");
  auto waiting =
      std::async(std::launch::async, [&] { return mine->publish_wait("b", "2", 0, seconds(20)); });
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(other->ack(*other->claim("w", seconds(30))), Settled::done);
  EXPECT_EQ(waiting.get(), 2U);
}

TEST_F(SqliteWaitingTest, ALeaseOfAnotherTransportThatRunsOutIsSeen) {
  const auto mine = open_by_host_clock();
  const auto other = open_by_host_clock();
  other->publish("a", "1");
  const auto held = other->claim("dies", milliseconds(60));
  const auto lease = mine->claim_wait("w", seconds(30), 0, seconds(20));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 2U);
}

TEST_F(SqliteWaitingTest, EachOfManyMessagesFindsOneOfManyWaiters) {
  constexpr int count = 24;
  const auto mine = open_by_host_clock();
  const auto other = open_by_host_clock();
  std::vector<std::future<std::optional<Lease<Bytes>>>> waiting;
  for (int i = 0; i < count; ++i) {
    waiting.push_back(std::async(
        std::launch::async, [&] { return mine->claim_wait("w", seconds(300), 0, seconds(60)); }));
  }
  std::this_thread::sleep_for(milliseconds(50));
  for (int i = 0; i < count; ++i) {
    (i % 2 == 0 ? mine : other)->publish("g" + std::to_string(i), "event");
  }
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_EQ(mine->control().stats().leased, static_cast<std::uint64_t>(count));
}

TEST_F(SqliteWaitingTest, ThreadsOfOneTransportShareItsWork) {
  const auto queue = open_by_host_clock();
  constexpr int messages = 600;
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (const auto lease = queue->claim_wait("w", seconds(30), 0, milliseconds(500))) {
        if (queue->ack(*lease) == Settled::done) ++done;
      }
    });
  }
  for (int i = 0; i < messages; ++i) queue->publish("g" + std::to_string(i % 7), "event");
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, messages);
}

}  // namespace
}  // namespace fairlane::sqlite
