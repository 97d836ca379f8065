// Shards on servers: two queues on PostgreSQL and one on Redis as one.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "fairlane/postgres_transport.h"
#include "fairlane/redis_transport.h"
#include "sharded_fixture.h"
#include "support/servers.h"

namespace fairlane::sharded {
namespace {

std::ptrdiff_t threads() {
  // A sanitizer's own thread comes with the first of the program's.
  [[maybe_unused]] static const bool has_begun_one = (std::thread([] {}).join(), true);
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

class ShardsOnServersTest : public ::testing::Test {
 protected:
  using Leased = std::optional<Lease<Bytes>>;

  static void SetUpTestSuite() {
    register_postgres();
    register_redis();
    register_sharded();
  }

  ShardsOnServersTest() {
    static int queues = 0;
    const auto name = std::to_string(::getpid()) + "-" + std::to_string(++queues);
    const auto postgres = test::server_url("FAIRLANE_TEST_POSTGRES");
    const auto redis = test::server_url("FAIRLANE_TEST_REDIS");
    url = "sharded:?0=" + postgres + "?queue=a" + name + "&1=" + postgres + "?queue=b" + name +
          "&7=" + redis + "?queue=c" + name;
  }

  std::string url;
};

TEST_F(ShardsOnServersTest, AMessageOnAnyOfThemWakesWhoWaits) {
  const auto mine = fairlane::open(url);
  const auto other = fairlane::open(url);
  for (std::size_t shard = 0; shard < numbers.size(); ++shard) {
    auto waiting = std::async(std::launch::async,
                              [&] { return mine->claim_wait("w", seconds(30), 0, seconds(20)); });
    other->publish(group_on(shard), "from afar");
    const auto lease = waiting.get();
    ASSERT_TRUE(lease) << shard;
    EXPECT_EQ(lease->group_id(), group_on(shard));
    EXPECT_EQ(other->ack(*lease), Settled::done) << "a lease is good in another transport";
  }
}

TEST_F(ShardsOnServersTest, WorkersHandleEachGroupInOrder) {
  constexpr int groups = 12;
  constexpr int each = 15;
  const auto queue = fairlane::open(url);
  std::mutex mutex;
  std::map<std::string, std::string> handled;
  std::atomic<int> left{groups * each};
  std::stop_source stop;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, id = "w" + std::to_string(i)] {
      Leased lease;
      while (!stop.stop_requested()) {
        if (!lease) {
          lease = queue->claim_wait(id, seconds(300), 0, seconds(60), stop.get_token());
          continue;
        }
        {
          const std::lock_guard lock(mutex);
          handled[std::string(lease->group_id())] += lease->event();
        }
        if (--left == 0) stop.request_stop();
        lease = queue->ack_claim(*lease, id, seconds(300)).lease;
      }
    });
  }
  std::string in_order;
  for (int n = 0; n < each; ++n) {
    const std::string event(1, static_cast<char>('a' + n));
    in_order += event;
    for (int group = 0; group < groups; ++group) {
      queue->publish("g" + std::to_string(group), event);
    }
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(handled.size(), static_cast<std::size_t>(groups));
  for (const auto& [group, events] : handled) EXPECT_EQ(events, in_order) << group;
}

TEST_F(ShardsOnServersTest, CloseEndsWaitingAndLeavesNoThread) {
  const auto before = threads();
  auto queue = fairlane::open(url);
  std::promise<void> begins;
  auto waiting = std::async(std::launch::async, [&] {
    begins.set_value();
    try {
      return queue->claim_wait("w", seconds(30)).has_value();
    } catch (const TransportError& error) {
      EXPECT_EQ(error.code(), ErrorCode::closed);
      return false;
    }
  });
  begins.get_future().wait();
  queue->close();
  EXPECT_FALSE(waiting.get());
  queue = nullptr;
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace fairlane::sharded
