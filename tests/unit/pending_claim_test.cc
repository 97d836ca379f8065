// A claim that waits without a thread.
#include "fairlane/pending_claim.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/manual_clock.h"

namespace fairlane {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

class PendingClaimTest : public ::testing::Test {
 protected:
  PendingClaim<std::string> start(Duration timeout = Duration::max(), std::int32_t floor = 0) {
    return queue.start_claim("w", seconds(30), floor, timeout, [this] { ++notified; });
  }

  const std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  InMemoryTransport<std::string> queue{{.clock = clock}};
  int notified = 0;
};

TEST_F(PendingClaimTest, WhatIsReadyIsThereAtOnce) {
  queue.publish("a", "1");
  auto claim = start();
  EXPECT_FALSE(claim.is_waiting());
  const auto lease = claim.look();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "1");
  EXPECT_EQ(notified, 0);
  EXPECT_FALSE(claim.look()) << "a lease is returned once";
}

TEST_F(PendingClaimTest, APublishServesOneOfTwo) {
  auto first = start();
  auto second = start();
  queue.publish("a", "1");
  EXPECT_GE(notified, 1);
  EXPECT_EQ(queue.control().stats().leased, 1U) << "it is claimed on behalf of who waits";
  auto lease = first.look();
  EXPECT_NE(lease.has_value(), second.look().has_value());
}

TEST_F(PendingClaimTest, NobodyIsNotifiedForWhatIsBelowTheFloor) {
  auto claim = start(Duration::max(), 5);
  queue.publish("low", "1", 4);
  EXPECT_EQ(notified, 0);
  queue.publish("high", "2", 5);
  EXPECT_EQ(notified, 1);
}

TEST_F(PendingClaimTest, GivenUpAfterItWasServedItReleasesTheLease) {
  {
    auto claim = start();
    queue.publish("a", "1");
    EXPECT_EQ(queue.control().stats().leased, 1U);
  }
  const auto lease = queue.claim("w", seconds(1));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 1U) << "no attempt was spent";
}

TEST_F(PendingClaimTest, GivenUpWithALeaseThatNobodyTookItReleasesIt) {
  queue.publish("a", "1");
  { const auto claim = start(); }
  EXPECT_EQ(queue.control().stats().ready, 1U);
}

TEST_F(PendingClaimTest, MovedFromItReleasesNothing) {
  queue.publish("a", "1");
  auto claim = start();
  {
    auto moved = std::move(claim);
    EXPECT_TRUE(moved.look());
  }
  EXPECT_EQ(queue.control().stats().leased, 1U);
}

TEST_F(PendingClaimTest, GivenUpWhileItWaitsItIsForgotten) {
  { const auto claim = start(); }
  queue.publish("a", "1");
  EXPECT_EQ(notified, 0);
  EXPECT_EQ(queue.control().stats().ready, 1U);
}

TEST_F(PendingClaimTest, LooksAgainTheFirstInstantAfterALease) {
  queue.publish("a", "1");
  const auto held = queue.claim("other", seconds(10));
  auto claim = start();
  EXPECT_EQ(claim.look_at(), Instant(seconds(10)) + nanoseconds(1));
  clock->advance(seconds(10));
  EXPECT_FALSE(claim.look());
  clock->advance(nanoseconds(1));
  const auto lease = claim.look();
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->attempt(), 2U);
}

TEST_F(PendingClaimTest, IsToldOfAnEarlierAlarm) {
  queue.publish("a", "1");
  const auto held = queue.claim("other", seconds(10));
  auto claim = start();
  EXPECT_EQ(queue.extend(*held, seconds(5)), Settled::done);
  EXPECT_EQ(notified, 1);
  EXPECT_FALSE(claim.look());
  EXPECT_EQ(claim.look_at(), Instant(seconds(5)) + nanoseconds(1));
}

TEST_F(PendingClaimTest, EndsWithItsTimeout) {
  auto claim = start(seconds(3));
  EXPECT_EQ(claim.look_at(), Instant(seconds(3)));
  clock->advance(seconds(3));
  EXPECT_FALSE(claim.look());
  EXPECT_FALSE(claim.is_waiting());
}

TEST_F(PendingClaimTest, ATimeoutOfZeroDoesNotWait) {
  EXPECT_FALSE(start(seconds(0)).is_waiting());
}

TEST_F(PendingClaimTest, EndsWhenTheTransportIsClosed) {
  auto claim = start();
  queue.close();
  EXPECT_EQ(notified, 1);
  EXPECT_FALSE(claim.look());
  EXPECT_FALSE(claim.is_waiting());
  EXPECT_FALSE(start().is_waiting());
}

TEST_F(PendingClaimTest, AThreadThatWaitsKeepsTheTimeInItsPlace) {
  queue.publish("a", "1");
  queue.publish("b", "1");
  const auto a = queue.claim("other", seconds(10));
  const auto b = queue.claim("other", seconds(10));
  auto claim = start();
  auto thread = std::async(std::launch::async, [&] { return queue.claim_wait("t", seconds(1)); });
  clock->wait_for_sleepers(1);
  clock->advance(seconds(10));
  clock->advance(nanoseconds(1));  // Nobody calls `look`, and yet:
  EXPECT_TRUE(thread.get());
  EXPECT_TRUE(claim.look());
}

TEST_F(PendingClaimTest, RefusesWhatItCannotDo) {
  const auto start = [&](Duration visibility, Duration timeout, std::function<void()> notify) {
    return queue.start_claim("w", visibility, 0, timeout, std::move(notify));
  };
  EXPECT_THROW(start(seconds(-1), seconds(1), [] {}), std::invalid_argument);
  EXPECT_THROW(start(seconds(1), seconds(-1), [] {}), std::invalid_argument);
  EXPECT_THROW(start(seconds(1), seconds(1), nullptr), std::invalid_argument);
}

TEST_F(PendingClaimTest, ItsNotificationMayCallBack) {
  int seen = 0;
  auto claim = queue.start_claim("w", seconds(30), 0, Duration::max(), [&] {
    queue.publish("b", "from the notification");
    ++seen;
  });
  queue.publish("a", "1");
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(queue.control().stats().groups, 2U);
}

/// Stands still, and fails when told to.
class BrokenClock final : public Clock {
 public:
  Instant now() const override {
    if (broken) throw std::runtime_error("no time");
    return Instant();
  }
  void sleep(Wakeup&, Instant) override { broken = true; }
  mutable bool broken = false;
};

TEST(BrokenClockTest, AWaitThatFailsLeavesNobodyBehind) {
  const auto clock = std::make_shared<BrokenClock>();
  InMemoryTransport<std::string> queue{{.clock = clock}};
  EXPECT_THROW(queue.claim_wait("w", seconds(1)), std::runtime_error);
  clock->broken = false;
  queue.publish("a", "1");
  EXPECT_EQ(queue.control().stats().ready, 1U);
}

TEST(VisitEvents, ShowsWhatIsQueuedLeasedAndDeadOnce) {
  InMemoryTransport<std::string> queue;
  queue.publish("a", "leased");
  queue.publish("a", "waiting");
  queue.publish("b", "dead");
  const auto a = queue.claim("w", seconds(30));
  const auto b = queue.claim("w", seconds(30));
  EXPECT_EQ(queue.reject(*b), Settled::done);
  queue.publish("c", "acked");
  const auto c = queue.claim("w", seconds(30));
  EXPECT_EQ(queue.ack(*c), Settled::done);
  std::multiset<std::string> seen;
  queue.visit_events([&](const std::string& event) { seen.insert(event); });
  EXPECT_EQ(seen, (std::multiset<std::string>{"dead", "leased", "waiting"}));
}

}  // namespace
}  // namespace fairlane
