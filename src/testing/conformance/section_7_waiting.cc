// Section 7: waiting for something claimable, and for room.
#include <future>
#include <set>

#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

using Leased = std::optional<Lease<Bytes>>;

/// A claimer that waits on a thread of its own, asleep on the clock when the constructor returns.
class Waiter {
 public:
  Waiter(Transport<Bytes>& store, ManualClock& clock, std::int32_t floor = 0,
         Duration timeout = Duration::max()) {
    const auto asleep = clock.sleepers();
    claimed_ = std::async(std::launch::async, [this, &store, floor, timeout] {
      return store.claim_wait("waiter", 10s, floor, timeout, stop_.get_token());
    });
    clock.wait_for_sleepers(asleep + 1);
  }
  ~Waiter() { stop_.request_stop(); }

  /// What the wait returned; waits for that.
  Leased result() { return claimed_.get(); }
  std::string event() {
    const auto lease = result();
    return lease ? lease->event() : "nothing";
  }
  bool waits() const { return claimed_.wait_for(0s) == std::future_status::timeout; }
  void stop() { stop_.request_stop(); }

 private:
  std::stop_source stop_;
  std::future<Leased> claimed_;
};

FAIRLANE_CASE(ClaimWaitReturnsAtOnceWhatIsClaimable) {
  publish("a", "a1");
  const auto lease = store().claim_wait("worker", 10s);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "a1");
}

FAIRLANE_CASE(ClaimWaitWithoutTimeDoesNotWait) {
  EXPECT_FALSE(store().claim_wait("worker", 10s, 0, Duration()));
}

FAIRLANE_CASE(ClaimWaitIsWokenByAPublish) {
  Waiter waiter(store(), clock());
  publish("a", "a1");
  EXPECT_EQ(waiter.event(), "a1");
}

FAIRLANE_CASE(ClaimWaitIsWokenByAnAckThatFreesAFollower) {
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take();
  Waiter waiter(store(), clock());
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_EQ(waiter.event(), "a2");
}

FAIRLANE_CASE(ClaimWaitIsWokenByANackAndByARelease) {
  publish("a", "a1");
  const auto lease = take();
  Waiter first(store(), clock());
  EXPECT_EQ(store().nack(lease), Settled::done);
  const auto again = first.result();
  ASSERT_TRUE(again);
  Waiter second(store(), clock());
  EXPECT_EQ(store().release(*again), Settled::done);
  EXPECT_EQ(second.event(), "a1");
}

FAIRLANE_CASE(ClaimWaitIsWokenByARejectThatFreesAFollower) {
  publish("a", "a1");
  publish("a", "a2");
  const auto lease = take();
  Waiter waiter(store(), clock());
  EXPECT_EQ(store().reject(lease), Settled::done);
  EXPECT_EQ(waiter.event(), "a2");
}

FAIRLANE_CASE(ClaimWaitIsWokenByAResume) {
  publish("a", "a1");
  control().suspend("a");
  Waiter waiter(store(), clock());
  control().resume("a");
  EXPECT_EQ(waiter.event(), "a1");
}

FAIRLANE_CASE(ClaimWaitIsWokenByARedriveAndByACancel) {
  publish("a", "a1");
  EXPECT_EQ(store().reject(take()), Settled::done);
  Waiter redriven(store(), clock());
  control().redrive(1);
  EXPECT_EQ(redriven.event(), "a1");
  Waiter cancelled(store(), clock());
  control().cancel("b", "b1");
  EXPECT_EQ(cancelled.event(), "b1");
}

FAIRLANE_CASE(ClaimWaitIsWokenTheInstantAfterALeaseRanOut) {
  publish("a", "a1");
  take(10s);
  Waiter waiter(store(), clock());
  advance(10s);
  EXPECT_TRUE(waiter.waits());
  advance(tick());
  EXPECT_EQ(waiter.event(), "a1");
}

FAIRLANE_CASE(ClaimWaitIsWokenTheInstantAfterAParkRanOut) {
  publish("a", "a1");
  EXPECT_EQ(store().nack(take(), 10s), Settled::done);
  Waiter waiter(store(), clock());
  advance(10s);
  EXPECT_TRUE(waiter.waits());
  advance(tick());
  EXPECT_EQ(waiter.event(), "a1");
}

FAIRLANE_CASE(ClaimWaitIsWokenByAnEarlierEndThanTheOneItSleepsFor) {
  publish("late", "late");
  publish("early", "early");
  take(1h);
  const auto early = take(2h);
  Waiter waiter(store(), clock());
  EXPECT_EQ(store().nack(early, 1s), Settled::done);
  clock().wait_for_sleepers(1);
  advance(1s + tick().value());
  EXPECT_EQ(waiter.event(), "early");
}

FAIRLANE_CASE(ASuspendIsObeyedByAWaiterThatBeganToWaitBefore) {
  publish("a", "a1");
  take(1s);
  Waiter waiter(store(), clock());
  control().suspend("a");
  advance(2s);
  publish("a", "a2");
  publish("b", "b1");
  EXPECT_EQ(waiter.event(), "b1");
}

FAIRLANE_CASE(ClaimWaitReturnsNothingWhenItsTimeoutPassed) {
  Waiter waiter(store(), clock(), 0, 5s);
  advance(5s);
  EXPECT_EQ(waiter.event(), "nothing");
}

FAIRLANE_CASE(ClaimWaitReturnsNothingWhenStopped) {
  Waiter waiter(store(), clock());
  waiter.stop();
  EXPECT_EQ(waiter.event(), "nothing");
}

FAIRLANE_CASE(AMessageClaimedAtTheMomentOfAStopIsNotLost) {
  for (int round = 0; round < 200; ++round) {
    Waiter waiter(store(), clock());
    auto stopping = std::async(std::launch::async, [&] { waiter.stop(); });
    publish("a", "a1");
    stopping.get();
    const auto lease = waiter.result();
    EXPECT_EQ(control().stats().leased, lease ? 1u : 0u);
    EXPECT_EQ(control().terminate("a"), 1u);
  }
}

FAIRLANE_CASE(OneMessageWakesOneWaiterAndEachGetsItsOwn) {
  Waiter first(store(), clock());
  Waiter second(store(), clock());
  publish("a", "a1");
  publish("b", "b1");
  const auto one = first.event();
  const auto two = second.event();
  EXPECT_EQ((std::set<std::string>{one, two}), (std::set<std::string>{"a1", "b1"}));
}

FAIRLANE_CASE(AWaiterBelowTheFloorDoesNotKeepAMessageFromAnother) {
  Waiter high(store(), clock(), 5);
  Waiter low(store(), clock(), 0);
  publish("a", "a1", 1);
  EXPECT_EQ(low.event(), "a1");
  EXPECT_TRUE(high.waits());
  publish("b", "b1", 5);
  EXPECT_EQ(high.event(), "b1");
}

FAIRLANE_CASE(CloseWakesEveryoneWhoWaits) {
  if (!harness().works_after_close) {
    auto waiting = std::async(std::launch::async, [&] {
      return error_of([&] { static_cast<void>(store().claim_wait("waiter", 10s)); });
    });
    clock().wait_for_sleepers(1);
    store().close();
    EXPECT_EQ(waiting.get(), ErrorCode::closed);
    return;
  }
  Waiter waiter(store(), clock());
  store().close();
  EXPECT_EQ(waiter.event(), "nothing");
  EXPECT_FALSE(store().claim_wait("worker", 10s));
}

FAIRLANE_CASE(PublishWaitStoresAtOnceWhereThereIsRoom) {
  open({.max_messages = 1});
  EXPECT_EQ(store().publish_wait("a", "a1"), 1u);
  EXPECT_FALSE(store().publish_wait("a", "a2", 0, Duration()));
  EXPECT_EQ(peeked("a"), (std::vector<std::string>{"a1"}));
}

FAIRLANE_CASE(PublishWaitWaitsForRoomThatAnAckOrATerminateMakes) {
  open({.max_messages = 1});
  publish("a", "a1");
  const auto lease = take();
  const auto wait = [&](std::string group) {
    auto waiting = std::async(
        std::launch::async, [this, group] { return store().publish_wait(group, Bytes("later")); });
    clock().wait_for_sleepers(1);
    return waiting;
  };
  auto first = wait("b");
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_TRUE(first.get());
  auto second = wait("c");
  EXPECT_EQ(control().terminate("b"), 1u);
  EXPECT_TRUE(second.get());
  EXPECT_EQ(state("c"), GroupState::ready);
}

FAIRLANE_CASE(PublishWaitGivesUpAfterItsTimeoutAndTheCallerKeepsTheEvent) {
  open({.max_messages = 1});
  publish("a");
  Bytes event = "a rather long event that is not kept inside of the string itself";
  const Bytes copy = event;
  auto waiting = std::async(std::launch::async,
                            [&] { return store().publish_wait("a", std::move(event), 0, 5s); });
  clock().wait_for_sleepers(1);
  advance(5s);
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(event, copy);
}

FAIRLANE_CASE(PublishWaitWithoutRoomRaisesClosedWhenClosed) {
  open({.max_messages = 1});
  publish("a");
  auto waiting = std::async(std::launch::async, [&] {
    return error_of([&] { static_cast<void>(store().publish_wait("a", Bytes("event"))); });
  });
  clock().wait_for_sleepers(1);
  store().close();
  EXPECT_EQ(waiting.get(), ErrorCode::closed);
  EXPECT_EQ(error_of([&] { static_cast<void>(store().publish_wait("a", Bytes("event"))); }),
            ErrorCode::closed);
}

}  // namespace

const ConformanceCases& section_7_waiting() { return cases; }

}  // namespace fairlane::testing
