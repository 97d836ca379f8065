// Connections that are lent, break, and cannot be made.
#include "remote/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace fairlane::remote {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

struct Fake {
  explicit Fake(std::atomic<int>& open) : open_(open) { ++open_; }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
  ~Fake() { --open_; }
  bool is_alive() const noexcept { return alive; }
  bool alive = true;

 private:
  std::atomic<int>& open_;
};

/// A loan that ends when a test says so.
struct Held {
  explicit Held(Pool<Fake>& pool) : loan(pool.lend()) {}
  Pool<Fake>::Loan loan;
};

class PoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<Fake> connect() {
    ++tries;
    if (is_away) throw TransportError(ErrorCode::unavailable, "away");
    return std::make_unique<Fake>(open);
  }
  template <class Call>
  static ErrorCode error_of(Call call) {
    try {
      call();
    } catch (const TransportError& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error was raised";
    return ErrorCode::not_found;
  }

  std::atomic<bool> is_away{false};
  std::atomic<int> tries{0};
  std::atomic<int> open{0};
  Pool<Fake> pool{2, [this] { return connect(); }};
};

TEST_F(PoolTest, OneThatCameBackIsLentAgain) {
  const Fake* first = nullptr;
  {
    auto loan = pool.lend();
    first = &*loan;
  }
  auto loan = pool.lend();
  EXPECT_EQ(&*loan, first);
  EXPECT_EQ(tries, 1);
}

TEST_F(PoolTest, TheLastThatCameBackIsLentFirst) {
  const Fake* last = nullptr;
  {
    std::optional<Held> one(std::in_place, pool);
    std::optional<Held> two(std::in_place, pool);
    last = &*one->loan;
    two.reset();
    one.reset();
  }
  auto loan = pool.lend();
  EXPECT_EQ(&*loan, last);
}

TEST_F(PoolTest, WhatDiedIdleIsReplaced) {
  {
    auto one = pool.lend();
    auto two = pool.lend();
    one->alive = two->alive = false;
  }
  EXPECT_EQ(open, 2);
  auto loan = pool.lend();
  EXPECT_TRUE(loan->is_alive());
  EXPECT_EQ(open, 1) << "both are gone";
  EXPECT_EQ(tries, 3);
}

TEST_F(PoolTest, WhatIsDiscardedIsNotLentAgain) {
  {
    auto loan = pool.lend();
    loan.discard();
    EXPECT_EQ(open, 0);
  }
  auto one = pool.lend();
  auto two = pool.lend();
  EXPECT_EQ(tries, 3) << "and its place is free";
}

TEST_F(PoolTest, WhileAllAreLentTheNextWaits) {
  std::optional<Held> one(std::in_place, pool);
  auto two = pool.lend();
  auto third = std::async(std::launch::async, [&] {
    auto loan = pool.lend();
    return &*loan;
  });
  EXPECT_EQ(third.wait_for(milliseconds(50)), std::future_status::timeout);
  const Fake* const first = &*one->loan;
  one.reset();
  EXPECT_EQ(third.get(), first);
  EXPECT_EQ(tries, 2);
}

TEST_F(PoolTest, ManyThreadsNeverHaveMoreThanThereMayBe) {
  std::atomic<int> lent{0};
  std::atomic<int> most{0};
  std::vector<std::jthread> threads;
  threads.reserve(6);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 500; ++n) {
        auto loan = pool.lend();
        const int now = ++lent;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        if ((n + i) % 7 == 0) loan.discard();
        --lent;
      }
    });
  }
  threads.clear();
  EXPECT_LE(most, 2);
  EXPECT_LE(open, 2);
}

TEST_F(PoolTest, AServerThatIsAwayIsNotTriedAgainAtOnce) {
  is_away = true;
  EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::unavailable);
  const auto begin = SteadyClock::now();
  int refused = 1;
  for (; SteadyClock::now() - begin < milliseconds(300); ++refused) {
    EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::unavailable);
  }
  EXPECT_GT(refused, 100) << "the rest are told at once";
  // 10 ms, and twice as long each time.
  EXPECT_GE(tries, 2);
  EXPECT_LE(tries, 6);
  is_away = false;
  for (int left = 200; tries <= 6 && left > 0; --left) {
    try {
      auto loan = pool.lend();
      EXPECT_TRUE(loan->is_alive());
      is_away = true;
      loan.discard();
      break;
    } catch (const TransportError&) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
  ASSERT_TRUE(is_away) << "it was never tried again";
  // After a success the pause begins anew.
  const int before = tries;
  EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::unavailable);
  EXPECT_EQ(tries, before + 1);
  std::this_thread::sleep_for(milliseconds(15));
  EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::unavailable);
  EXPECT_EQ(tries, before + 2);
}

TEST_F(PoolTest, OneThatCannotConnectKeepsNoPlace) {
  is_away = true;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::unavailable);
  }
  is_away = false;
  std::this_thread::sleep_for(milliseconds(50));
  auto one = pool.lend();
  auto two = pool.lend();
  EXPECT_EQ(open, 2);
}

TEST_F(PoolTest, CloseEndsWhatIsIdleAtOnceAndWhatIsLentLater) {
  std::optional<Held> one(std::in_place, pool);
  { auto two = pool.lend(); }
  EXPECT_EQ(open, 2);
  pool.close();
  EXPECT_EQ(open, 1);
  EXPECT_EQ(error_of([&] { pool.lend(); }), ErrorCode::closed);
  one.reset();
  EXPECT_EQ(open, 0);
  pool.close();
}

TEST_F(PoolTest, CloseEndsTheWaitOfWhoWaits) {
  auto one = pool.lend();
  auto two = pool.lend();
  auto third = std::async(std::launch::async, [&] { return error_of([&] { pool.lend(); }); });
  EXPECT_EQ(third.wait_for(milliseconds(30)), std::future_status::timeout);
  pool.close();
  EXPECT_EQ(third.get(), ErrorCode::closed);
}

}  // namespace
}  // namespace fairlane::remote
