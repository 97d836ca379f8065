// Waiting for any of several shards: woken promptly, nothing lost, no thread left behind.
#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <set>
#include <thread>

#include "sharded_fixture.h"

namespace fairlane::sharded {
namespace {

using std::chrono::milliseconds;
using testing::Fault;
using testing::Verb;

/// Who waits, and the watcher of each shard: all asleep on the clock.
constexpr std::size_t watchers = numbers.size();

std::ptrdiff_t threads() {
  // A sanitizer's own thread comes with the first of the program's.
  [[maybe_unused]] static const bool has_begun_one = (std::thread([] {}).join(), true);
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

class ShardedWaitingTest : public ShardedTest {
 protected:
  using Waiting = std::future<Leased>;

  Waiting wait(std::int32_t floor = 0, Duration timeout = Duration::max(),
               const std::string& worker = "waiter") {
    return std::async(std::launch::async, [this, floor, timeout, worker] {
      return queue->claim_wait(worker, seconds(30), floor, timeout, stop.get_token());
    });
  }
  Waiting wait_until_asleep(std::int32_t floor = 0, Duration timeout = Duration::max()) {
    auto waiting = wait(floor, timeout);
    clock->wait_for_sleepers(watchers + 1);
    return waiting;
  }
  static bool waits(const Waiting& waiting) {
    return waiting.wait_for(milliseconds(0)) == std::future_status::timeout;
  }

  std::stop_source stop;
};

TEST_F(ShardedWaitingTest, AMessageOnAnyShardWakesWhoWaits) {
  for (std::size_t shard = 0; shard < 3; ++shard) {
    auto waiting = wait_until_asleep();
    queue->publish(group_on(shard), std::to_string(shard));
    const auto lease = waiting.get();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->event(), std::to_string(shard));
    EXPECT_EQ(lease->seq(), seq_of(shard, 1));
    EXPECT_EQ(queue->ack(*lease), Settled::done);
  }
}

TEST_F(ShardedWaitingTest, ALeaseThatRunsOutOnAnyShardWakesWhoWaits) {
  queue->publish(group_on(2), "e");
  const auto lost = take();
  auto waiting = wait_until_asleep();
  clock->advance(seconds(30));
  EXPECT_TRUE(waits(waiting));
  clock->advance(std::chrono::nanoseconds(1));
  const auto lease = waiting.get();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 2U);
  EXPECT_EQ(queue->ack(lost), Settled::stale);
}

TEST_F(ShardedWaitingTest, EachOfManyMessagesWakesOneOfManyWaiters) {
  constexpr int count = 24;
  std::vector<Waiting> waiting;
  for (int i = 0; i < count; ++i) waiting.push_back(wait(0, Duration::max(), i % 2 ? "a" : "b"));
  clock->wait_for_sleepers(watchers + count);
  for (int i = 0; i < count; ++i) queue->publish("g" + std::to_string(i), "e");
  std::set<std::uint64_t> seqs;
  for (auto& each : waiting) {
    const auto lease = each.get();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->attempt(), 1U) << "what was claimed in vain costs no attempt";
    seqs.insert(lease->seq());
  }
  EXPECT_EQ(seqs.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(queue->control().stats().leased, static_cast<std::uint64_t>(count));
}

TEST_F(ShardedWaitingTest, ALeaseBearsTheNameOfItsWaiter) {
  auto one = wait(0, Duration::max(), "one");
  clock->wait_for_sleepers(watchers + 1);
  auto two = wait(0, Duration::max(), "two");
  clock->wait_for_sleepers(watchers + 2);
  queue->publish(group_on(1), "e");
  ASSERT_TRUE(one.get());
  EXPECT_EQ(queue->control().inspect(group_on(1)).worker_id, "one");
  queue->publish(group_on(2), "e");
  ASSERT_TRUE(two.get());
  EXPECT_EQ(queue->control().inspect(group_on(2)).worker_id, "two");
}

TEST_F(ShardedWaitingTest, WhoIsBelowTheFloorIsNotServed) {
  auto high = wait_until_asleep(10);
  queue->publish(group_on(0), "low", 5);
  EXPECT_TRUE(waits(high));
  auto low = wait();
  EXPECT_EQ(low.get()->event(), "low");
  EXPECT_TRUE(waits(high));
  queue->publish(group_on(1), "high", 10);
  EXPECT_EQ(high.get()->event(), "high");
}

TEST_F(ShardedWaitingTest, WhoWaitsLongerWithAHigherFloorIsInNobodysWay) {
  auto high = wait_until_asleep(10);
  auto low = wait();
  clock->wait_for_sleepers(watchers + 2);
  queue->publish(group_on(2), "low", 5);
  EXPECT_EQ(low.get()->event(), "low");
  EXPECT_TRUE(waits(high));
  clock->wait_for_sleepers(watchers + 1);
  queue->publish(group_on(1), "high", 10);
  EXPECT_EQ(high.get()->event(), "high");
}

TEST_F(ShardedWaitingTest, ItEndsWithItsTimeAndHoldsNothing) {
  EXPECT_FALSE(queue->claim_wait("w", seconds(30), 0, Duration()));
  auto waiting = wait_until_asleep(0, seconds(5));
  clock->advance(seconds(5));
  EXPECT_FALSE(waiting.get());
  queue->publish(group_on(0), "e");
  EXPECT_EQ(wait().get()->attempt(), 1U);
}

TEST_F(ShardedWaitingTest, ItEndsWhenItIsStopped) {
  auto waiting = wait_until_asleep();
  stop.request_stop();
  EXPECT_FALSE(waiting.get());
  EXPECT_FALSE(wait().get()) << "stopped before it began";
}

// Whichever comes first, the message is returned or handed back: never lost, never spent.
TEST_F(ShardedWaitingTest, AMessageThatComesWithTheStopIsNotLost) {
  for (int i = 0; i < 300; ++i) {
    stop = {};
    auto waiting = wait();
    auto publishing =
        std::async(std::launch::async, [&] { queue->publish("g" + std::to_string(i), "e"); });
    stop.request_stop();
    auto lease = waiting.get();
    publishing.get();
    stop = {};
    if (!lease) lease = wait().get();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->attempt(), 1U);
    EXPECT_EQ(queue->ack(*lease), Settled::done);
  }
}

TEST_F(ShardedWaitingTest, ALeaseThatNobodyWaitsForAnyMoreIsHandedBack) {
  std::promise<void> is_late;
  std::promise<void> may_go_on;
  faulty[1]->set_plan([&](Verb verb, std::uint64_t call) {
    Fault fault;
    if (verb == Verb::claim_wait && call == 1) {
      fault.meanwhile = [&] {
        is_late.set_value();
        may_go_on.get_future().wait();
      };
    }
    return fault;
  });
  auto waiting = wait();
  is_late.get_future().wait();
  queue->publish(group_on(1), "one too many");
  queue->publish(group_on(2), "enough");
  EXPECT_EQ(waiting.get()->event(), "enough");
  may_go_on.set_value();
  queue->close();
  EXPECT_EQ(stores[1]->control().stats().claims, 1U) << "there was such a lease";
  EXPECT_EQ(stores[1]->control().stats().released, 1U);
  const auto again = stores[1]->claim("w", seconds(30));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt(), 1U);
}

TEST_F(ShardedWaitingTest, CloseEndsAllWaitingAndEveryThread) {
  const auto before = threads();
  std::vector<Waiting> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(wait());
  clock->wait_for_sleepers(watchers + 4);
  queue->close();
  for (auto& each : waiting) EXPECT_FALSE(each.get());
  EXPECT_EQ(threads(), before);
  EXPECT_FALSE(queue->claim_wait("w", seconds(30)));
  queue->close();
}

TEST_F(ShardedWaitingTest, ThereAreAsManyThreadsAsShardsHoweverManyWait) {
  const auto before = threads();
  for (int i = 0; i < 3; ++i) {
    std::vector<Waiting> waiting;
    for (int n = 0; n < 10; ++n) waiting.push_back(wait(0, seconds(1)));
    clock->wait_for_sleepers(watchers + 10);
    EXPECT_EQ(threads(), before + 10 + static_cast<std::ptrdiff_t>(watchers));
    clock->advance(seconds(1));
    for (auto& each : waiting) EXPECT_FALSE(each.get());
  }
  queue = nullptr;
  EXPECT_EQ(threads(), before);
}

TEST_F(ShardedWaitingTest, AShardThatFailsStopsNoWaiting) {
  faulty[1]->set_plan(always(Verb::claim_wait, Fault::Kind::before));
  auto waiting = wait_until_asleep();
  queue->publish(group_on(2), "e");
  EXPECT_EQ(waiting.get()->event(), "e");
}

TEST_F(ShardedWaitingTest, AShardThatIsWellAgainIsWaitedFor) {
  faulty[1]->set_plan(down());
  auto waiting = wait_until_asleep();
  faulty[1]->set_plan(nullptr);
  queue->publish(group_on(1), "e");
  EXPECT_TRUE(waits(waiting));
  clock->advance(seconds(1));
  EXPECT_EQ(waiting.get()->event(), "e");
}

TEST_F(ShardedWaitingTest, WhoWaitsIsToldWhenAllFail) {
  for (auto* const way : faulty) way->set_plan(always(Verb::claim_wait, Fault::Kind::before));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of([&] { queue->claim_wait("w", seconds(30)); }), ErrorCode::unavailable);
  }
}

TEST_F(ShardedWaitingTest, PublishersWaitForRoomOnTheirShard) {
  queue = make({}, {.max_messages = 1});
  for (std::size_t shard = 0; shard < 3; ++shard) queue->publish(group_on(shard), "1");
  auto publishing =
      std::async(std::launch::async, [&] { return queue->publish_wait(group_on(1, 1), "2"); });
  clock->wait_for_sleepers(1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(queue->ack(take()), Settled::done);
  EXPECT_EQ(publishing.get(), seq_of(1, 2));
  EXPECT_FALSE(queue->publish_wait(group_on(2), "3", 0, Duration()));
}

// By the clock of the day, with threads that do what workers do.
TEST_F(ShardedWaitingTest, WorkersHandleEachGroupInOrderAndAlone) {
  constexpr int groups = 40;
  constexpr int each = 60;
  ShardedOptions options;
  for (const auto number : numbers) options.shards.push_back({.number = number, .url = "memory:"});
  const auto shared = open_sharded(std::move(options));
  std::vector<std::atomic<int>> next(groups);
  std::vector<std::atomic<int>> busy(groups);
  std::atomic<int> handled{0};
  std::atomic<int> wrong{0};
  const auto handle = [&](const Lease<Bytes>& lease) {
    const auto group = static_cast<std::size_t>(std::stoi(std::string(lease.group_id()).substr(1)));
    if (busy[group]++ != 0 || next[group] != std::stoi(lease.event())) ++wrong;
    ++next[group];
    --busy[group];
    if (++handled == groups * each) stop.request_stop();
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, id = "w" + std::to_string(i / 2)] {
      Leased lease;
      while (!stop.stop_requested()) {
        if (!lease) {
          lease = shared->claim_wait(id, seconds(300), 0, seconds(60), stop.get_token());
          continue;
        }
        handle(*lease);
        lease = shared->ack_claim(*lease, id, seconds(300)).lease;
      }
    });
  }
  for (int n = 0; n < each; ++n) {
    for (int group = 0; group < groups; ++group) {
      shared->publish("g" + std::to_string(group), std::to_string(n));
    }
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(handled, groups * each);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace fairlane::sharded
