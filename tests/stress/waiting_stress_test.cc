// Waiting under load: every message finds a waiter, and nobody is woken for nothing.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "support/seed.h"
#include "tally.h"

namespace fairlane::stress {
namespace {

using namespace std::chrono_literals;

/// A standing clock that counts how often anyone goes to sleep on it: once, and once more for
/// every wake-up that was in vain.
class CountingClock final : public Clock {
 public:
  Instant now() const override { return clock_.now(); }
  void sleep(Wakeup& wakeup, Instant deadline) override {
    ++sleeps_;
    clock_.sleep(wakeup, deadline);
  }
  std::uint64_t sleeps() const { return sleeps_; }
  void wait_for_sleepers(std::size_t count) const { clock_.wait_for_sleepers(count); }

 private:
  testing::ManualClock clock_;
  std::atomic<std::uint64_t> sleeps_{0};
};

TEST(Waiting, EveryMessageFindsAWaiter) {
  const auto count = operations(5);
  InMemoryTransport<Bytes> store;
  Tally tally;
  std::atomic<std::uint64_t> acked{0};
  std::stop_source stop;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      while (const auto lease =
                 store.claim_wait("waiter", 1h, 0, Duration::max(), stop.get_token())) {
        tally.enter(*lease);
        tally.finish(*lease);
        EXPECT_EQ(store.ack(*lease), Settled::done);
        if (++acked == count) stop.request_stop();
      }
    });
  }
  for (std::uint64_t i = 0; i < count; ++i) store.publish(group_name(i % group_count), Bytes());
  waiters.clear();
  EXPECT_EQ(acked.load(), count);
  EXPECT_EQ(tally.shared(), 0u);
  EXPECT_EQ(tally.out_of_order(), 0u);
  EXPECT_EQ(store.control().stats().groups, 0u);
}

TEST(Waiting, PublishersThatWaitForRoomAllGetIt) {
  const auto count = operations(5);
  InMemoryTransport<Bytes> store({.queue = {.max_messages = 3}});
  std::atomic<std::uint64_t> stored{0};
  std::vector<std::jthread> publishers;
  for (std::uint64_t p = 0; p < 2; ++p) {
    publishers.emplace_back([&, p] {
      for (std::uint64_t i = p; i < count; i += 2) {
        if (store.publish_wait(group_name(i % group_count), Bytes())) ++stored;
      }
    });
  }
  for (std::uint64_t acked = 0; acked < count; ++acked) {
    const auto lease = store.claim_wait("worker", 1h);
    ASSERT_TRUE(lease);
    EXPECT_EQ(store.ack(*lease), Settled::done);
  }
  publishers.clear();
  EXPECT_EQ(stored.load(), count);
  EXPECT_EQ(store.control().stats().published, count);
}

TEST(Waiting, APublishIntoABlockedGroupWakesNoSleeperForNothing) {
  constexpr std::size_t waiter_count = 200;
  constexpr int publishes = 10'000;
  auto clock = std::make_shared<CountingClock>();
  InMemoryTransport<Bytes> store({.clock = clock});
  store.publish("leased", Bytes());
  store.publish("parked", Bytes());
  store.control().suspend("suspended");
  ASSERT_TRUE(store.claim("worker", 1h));
  const auto parked = store.claim("worker", 1h);
  ASSERT_EQ(store.nack(*parked, 1h), Settled::done);
  std::atomic<std::int64_t> switches{0};
  std::vector<std::jthread> waiters;
  for (std::size_t i = 0; i < waiter_count; ++i) {
    waiters.emplace_back([&] {
      EXPECT_FALSE(store.claim_wait("waiter", 1h));
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      switches += usage.ru_nvcsw;
    });
  }
  clock->wait_for_sleepers(waiter_count);
  const auto sleeps = clock->sleeps();
  for (int i = 0; i < publishes; ++i) {
    store.publish("leased", Bytes());
    store.publish("parked", Bytes());
    store.publish("suspended", Bytes());
    store.publish("low", Bytes(), -1);
  }
  EXPECT_LE(clock->sleeps() - sleeps, 4u);
  store.close();
  waiters.clear();
  // Starting, falling asleep and being closed cost each thread a few; a wake-up for each publish
  // would cost them 200 times 10,000.
  EXPECT_LE(switches.load(), static_cast<std::int64_t>(waiter_count) * 50);
}

}  // namespace
}  // namespace fairlane::stress
