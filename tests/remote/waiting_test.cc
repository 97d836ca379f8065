// Who is woken when, over a backend that does as a test says.
#include "remote/waiting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <list>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlane/error.h"
#include "fairlane/testing/manual_clock.h"

namespace fairlane::remote {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Only looks; the verbs are the tests' own.
class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  std::uint64_t store() const noexcept override { return 1; }
  const std::shared_ptr<Clock>& clock() const noexcept override { return clock_; }
  Look look(Listener& listener, const Wishes& wishes) override {
    const std::lock_guard lock(mutex_);
    wishes_.push_back(wishes);
    if (std::exchange(tells_, false)) listener.on_claimable(0);
    if (std::exchange(fails_, false)) throw TransportError(ErrorCode::unavailable, "away");
    return std::exchange(seen_, Look());
  }

  /// What the next look sees.
  void show(const Look& look) {
    const std::lock_guard lock(mutex_);
    seen_ = look;
  }
  /// The next look fails; `after_a_call`: and before that something claimable is told.
  void fail_once(bool after_a_call = false) {
    const std::lock_guard lock(mutex_);
    fails_ = true;
    tells_ = after_a_call;
  }
  std::vector<Wishes> wishes() const {
    const std::lock_guard lock(mutex_);
    return wishes_;
  }
  std::size_t looks() const { return wishes().size(); }

  using Seqs = std::optional<std::vector<std::uint64_t>>;
  Answer<Seqs> publish(std::span<const Message> /*messages*/) override { unused(); }
  Answer<std::vector<Claimed>> claim(const ClaimRequest& /*request*/) override { unused(); }
  Answer<AckedAndClaimed> ack(std::span<const LeaseName> /*leases*/,
                              const ClaimRequest* /*then_claim*/) override {
    unused();
  }
  Answer<Settled> settle(const LeaseName& /*lease*/, const Settlement& /*how*/) override {
    unused();
  }
  Answer<bool> set_suspended(std::string_view /*group*/, bool /*suspended*/) override { unused(); }
  Answer<std::uint64_t> terminate(std::string_view /*group*/) override { unused(); }
  Answer<std::optional<Cancelled>> cancel(std::string_view /*group*/,
                                          std::string_view /*event*/) override {
    unused();
  }
  Answer<GroupInfo> inspect(std::string_view /*group*/) override { unused(); }
  Answer<std::vector<std::string>> groups(const GroupQuery& /*query*/) override { unused(); }
  Answer<std::vector<QueuedMessage<Bytes>>> peek(std::string_view /*group*/,
                                                 std::size_t /*limit*/) override {
    unused();
  }
  Answer<Stats> count() override { unused(); }
  Answer<std::vector<DeadLetter<Bytes>>> dead_letters(std::size_t /*limit*/,
                                                      std::uint64_t /*after*/) override {
    unused();
  }
  Answer<Redriven> redrive(std::uint64_t /*seq*/) override { unused(); }
  Answer<bool> drop_dead(std::uint64_t /*seq*/) override { unused(); }
  void tell_others(const Effect& /*effect*/) noexcept override {}
  void close() override {}

 private:
  [[noreturn]] static void unused() { throw std::logic_error("waiting makes no such call"); }

  const std::shared_ptr<Clock> clock_;
  mutable std::mutex mutex_;
  bool fails_ = false;
  bool tells_ = false;
  Look seen_;
  std::vector<Wishes> wishes_;
};

class RemoteWaitingTest : public ::testing::Test {
 protected:
  using Claim = std::future<std::optional<int>>;

  /// Takes one of the messages if there is any, and tells claimers if there are more; who wants
  /// room finds it there, too.
  std::optional<int> take(bool publishes = false) {
    ++tries;
    Effect effect;
    int first = 0;
    {
      const std::lock_guard lock(mutex);
      if (messages.empty()) return std::nullopt;
      first = messages.front();
      messages.pop_front();
      if (!publishes && !messages.empty()) effect.more = 0;
    }
    waiting.tell(effect);
    return first;
  }
  void put(int message) {
    const std::lock_guard lock(mutex);
    messages.push_back(message);
  }

  Claim wait(std::int32_t floor = 0, Duration timeout = seconds(100), bool publishes = false) {
    auto begun = std::async(std::launch::async, [=, this] {
      Waiter waiter{.publishes = publishes, .min_priority = floor};
      return waiting.wait<int>(waiter, timeout, stop.get_token(),
                               [=, this] { return take(publishes); });
    });
    clock->wait_for_sleepers(++sleepers);
    return begun;
  }
  /// Ends all waits; none of them got anything.
  void end(std::list<Claim>& waits) {
    stop.request_stop();
    for (auto& each : waits) EXPECT_FALSE(each.get());
  }
  static bool is_over(const Claim& claim) {
    return claim.wait_for(milliseconds(0)) == std::future_status::ready;
  }
  /// Lets all who were woken try, and sleep again.
  void settle(std::size_t asleep) const { clock->wait_for_sleepers(asleep); }

  const std::shared_ptr<testing::ManualClock> clock =
      std::make_shared<testing::ManualClock>(Instant(seconds(1000)));
  FakeBackend backend{clock};
  Waiting waiting{backend};
  std::mutex mutex;
  std::deque<int> messages;
  std::atomic<int> tries{0};
  std::stop_source stop;
  std::size_t sleepers = 0;
};

TEST_F(RemoteWaitingTest, WhatIsThereIsTakenWithoutALook) {
  put(1);
  Waiter waiter;
  EXPECT_EQ(waiting.wait<int>(waiter, seconds(1), {}, [this] { return take(); }), 1);
  EXPECT_EQ(backend.looks(), 0U);
}

TEST_F(RemoteWaitingTest, WhoWaitsRegistersAndThenTriesOnceMore) {
  // What comes between the first try and the registration nobody tells.
  int attempts = 0;
  Waiter waiter;
  const auto taken = waiting.wait<int>(waiter, seconds(1), {}, [&]() -> std::optional<int> {
    if (++attempts == 1) return std::nullopt;
    EXPECT_EQ(backend.looks(), 1U);
    return 7;
  });
  EXPECT_EQ(taken, 7);
  EXPECT_EQ(attempts, 2);
}

TEST_F(RemoteWaitingTest, OneMessageWakesOneWaiter) {
  std::list<Claim> waits;
  for (int i = 0; i < 3; ++i) waits.push_back(wait());
  const int before = tries;
  put(1);
  waiting.tell({.claimable = 0});
  EXPECT_EQ(waits.front().get(), 1) << "the one that waits longest";
  waits.pop_front();
  EXPECT_EQ(tries, before + 1);
  EXPECT_FALSE(is_over(waits.front()) || is_over(waits.back()));
  end(waits);
}

TEST_F(RemoteWaitingTest, AMessageBelowTheFloorWakesTheOneItIsFor) {
  auto high = wait(5);
  auto low = wait(-5);
  const int before = tries;
  put(1);
  waiting.on_claimable(0);
  EXPECT_EQ(low.get(), 1);
  EXPECT_EQ(tries, before + 1);
  std::list<Claim> waits;
  waits.push_back(std::move(high));
  end(waits);
}

TEST_F(RemoteWaitingTest, RoomWakesEveryoneWhoWaitsForItAndNobodyElse) {
  auto claims = wait();
  auto first = wait(0, seconds(100), true);
  auto second = wait(0, seconds(100), true);
  put(1);
  put(2);
  waiting.on_room();
  EXPECT_EQ(*first.get() + *second.get(), 3);
  EXPECT_FALSE(is_over(claims));
  std::list<Claim> waits;
  waits.push_back(std::move(claims));
  end(waits);
}

TEST_F(RemoteWaitingTest, TheWatcherAloneLooksOnceASecond) {
  std::list<Claim> waits;
  for (int i = 0; i < 3; ++i) waits.push_back(wait());
  EXPECT_EQ(backend.looks(), 1U) << "the others wish for nothing new";
  for (std::size_t second = 1; second <= 5; ++second) {
    clock->advance(look_interval);
    while (backend.looks() < 1 + second) std::this_thread::yield();
    settle(3);
  }
  EXPECT_EQ(backend.looks(), 6U);
  end(waits);
}

TEST_F(RemoteWaitingTest, ANewWishIsToldAtOnce) {
  std::list<Claim> waits;
  waits.push_back(wait(5));
  waits.push_back(wait(2));
  waits.push_back(wait(9));
  waits.push_back(wait(0, seconds(100), true));
  const std::vector<Wishes> told = {{5, false}, {2, false}, {2, true}};
  EXPECT_EQ(backend.wishes(), told);
  end(waits);
}

TEST_F(RemoteWaitingTest, WhenTheWatcherLeavesTheNextLooks) {
  auto first = wait(0, seconds(3));
  auto second = wait();
  clock->advance(milliseconds(2'900));  // The watcher looks once, late.
  while (backend.looks() < 2) std::this_thread::yield();
  settle(2);
  clock->advance(milliseconds(100));
  EXPECT_FALSE(first.get()) << "its time is over";
  settle(1);
  backend.show({.claimable = 0});
  put(1);
  clock->advance(look_interval);
  EXPECT_EQ(second.get(), 1);
  EXPECT_EQ(backend.looks(), 3U);
}

TEST_F(RemoteWaitingTest, ALookThatSeesSomethingCallsWhoCanUseIt) {
  auto high = wait(5);
  auto low = wait(-5);
  backend.show({.claimable = 1});
  put(1);
  clock->advance(look_interval);
  EXPECT_EQ(low.get(), 1);
  EXPECT_FALSE(is_over(high));
  std::list<Claim> waits;
  waits.push_back(std::move(high));
  end(waits);
}

TEST_F(RemoteWaitingTest, TheFirstLeaseThatEndsWakesTheInstantAfter) {
  backend.show({.ends_in = milliseconds(300)});
  auto waits = wait();
  const int before = tries;
  clock->advance(milliseconds(300));
  EXPECT_FALSE(is_over(waits)) << "its last instant is the lease's own";
  EXPECT_EQ(tries, before);
  put(1);
  clock->advance(nanoseconds(1));
  EXPECT_EQ(waits.get(), 1);
}

TEST_F(RemoteWaitingTest, AShortTimeThatBeginsMakesTheWatcherLook) {
  auto waits = wait();
  backend.show({.ends_in = milliseconds(20)});
  waiting.on_short_time();
  while (backend.looks() < 2) std::this_thread::yield();
  settle(1);
  put(1);
  clock->advance(milliseconds(20));
  clock->advance(nanoseconds(1));
  EXPECT_EQ(waits.get(), 1);
}

TEST_F(RemoteWaitingTest, AGapWakesAll) {
  std::list<Claim> waits;
  for (int i = 0; i < 3; ++i) waits.push_back(wait());
  for (int i = 1; i <= 3; ++i) put(i);
  waiting.on_gap();
  int sum = 0;
  for (auto& each : waits) sum += each.get().value();
  EXPECT_EQ(sum, 6);
}

TEST_F(RemoteWaitingTest, WhoIsCalledAndGoesWithoutATryPassesTheCallOn) {
  auto first = wait();
  auto second = wait();
  const int before = tries;
  put(1);
  backend.fail_once(true);
  clock->advance(look_interval);
  EXPECT_THROW(first.get(), TransportError);
  EXPECT_EQ(second.get(), 1);
  EXPECT_EQ(tries, before + 1);
}

TEST_F(RemoteWaitingTest, ALookThatFailsIsTheErrorOfWhoLooked) {
  backend.fail_once();
  Waiter waiter;
  EXPECT_THROW(waiting.wait<int>(waiter, seconds(1), {}, [this] { return take(); }),
               TransportError);
  auto next = wait();  // The line is as if it had never been there.
  EXPECT_EQ(backend.looks(), 2U) << "the next looks at once";
  put(1);
  waiting.on_claimable(0);
  EXPECT_EQ(next.get(), 1);
}

TEST_F(RemoteWaitingTest, TheTimeEndsAndAStopEndsTheWait) {
  auto timed = wait(0, milliseconds(500));
  clock->advance(milliseconds(500));
  EXPECT_FALSE(timed.get());
  sleepers = 0;
  auto stopped = wait();
  stop.request_stop();
  EXPECT_FALSE(stopped.get());
}

TEST_F(RemoteWaitingTest, AnAttemptThatRaisesLeavesTheLine) {
  int attempts = 0;
  Waiter waiter;
  EXPECT_THROW(waiting.wait<int>(waiter, seconds(1), {},
                                 [&]() -> std::optional<int> {
                                   if (++attempts == 1) return std::nullopt;
                                   throw std::runtime_error("broken");
                                 }),
               std::runtime_error);
  auto next = wait();
  put(1);
  waiting.on_claimable(0);
  EXPECT_EQ(next.get(), 1);
}

TEST_F(RemoteWaitingTest, NoWakeUpIsLostAmongManyThreads) {
  constexpr int count = 2'000;
  std::atomic<int> taken{0};
  std::vector<std::jthread> workers;
  workers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (taken < count) {
        Waiter waiter;
        // The clock stands still: nobody but a call wakes.
        if (waiting.wait<int>(waiter, seconds(100), stop.get_token(), [this] { return take(); })) {
          if (++taken == count) stop.request_stop();
        } else if (stop.stop_requested()) {
          return;
        }
      }
    });
  }
  for (int i = 0; i < count; ++i) {
    put(i);
    waiting.tell({.claimable = 0});
    if (i % 16 == 0) std::this_thread::yield();
  }
  workers.clear();
  EXPECT_EQ(taken, count);
}

}  // namespace
}  // namespace fairlane::remote
