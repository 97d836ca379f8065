// What the contract says of the in-memory transport alone: it keeps the object itself, of any
// movable type, calls nobody with its lock held and gives memory back.
#include "fairlane/in_memory_transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fairlane/testing/manual_clock.h"

namespace fairlane {
namespace {

using namespace std::chrono_literals;

TEST(InMemoryTransport, DeliversTheVeryObjectThatWasPublished) {
  InMemoryTransport<std::shared_ptr<int>> store;
  const auto event = std::make_shared<int>(7);
  store.publish("a", event);
  const auto lease = store.claim("worker", 1h);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event().get(), event.get());
  EXPECT_EQ(store.ack(*lease), Settled::done);
}

TEST(InMemoryTransport, TakesMoveOnlyEvents) {
  InMemoryTransport<std::unique_ptr<std::string>> store;
  auto event = std::make_unique<std::string>("payload");
  const auto* address = event.get();
  store.publish("a", std::move(event));
  const auto lease = store.claim("worker", 1h);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event().get(), address);
}

TEST(InMemoryTransport, GivesAMoveOnlyEventBackWhenItIsRefused) {
  InMemoryTransport<std::unique_ptr<int>> store({.queue = {.max_messages = 2}});
  store.publish("a", std::make_unique<int>(1));
  std::vector<Publication<std::unique_ptr<int>>> batch;
  batch.push_back({"a", std::make_unique<int>(2)});
  batch.push_back({"a", std::make_unique<int>(3)});
  EXPECT_THROW(store.publish_batch(batch), TransportError);
  ASSERT_TRUE(batch[0].event && batch[1].event);
  EXPECT_EQ(*batch[1].event, 3);
  EXPECT_THROW(store.publish(std::string(1025, 'x'), std::move(batch[0].event)),
               std::invalid_argument);
  EXPECT_TRUE(batch[0].event);
}

/// Does something when it is destroyed, unless it was moved away.
class LastWord {
 public:
  explicit LastWord(std::function<void()> say) : say_(std::move(say)) {}
  LastWord(LastWord&& other) noexcept : say_(std::exchange(other.say_, nullptr)) {}
  LastWord& operator=(LastWord&&) = delete;
  ~LastWord() {
    if (say_) say_();
  }

 private:
  std::function<void()> say_;
};

/// A store, one claimed event that publishes another when it is destroyed, and its lease.
struct Talkative {
  Talkative() {
    store.publish("a", LastWord([this] { store.publish("b", LastWord([] {})); }));
    lease = store.claim("worker", 1h);
  }
  bool spoke() { return store.control().inspect("b").messages == 1; }

  InMemoryTransport<LastWord> store;
  std::optional<Lease<LastWord>> lease;
};

TEST(AnEventWhoseDestructorPublishes, WorksInAnAck) {
  Talkative talkative;
  EXPECT_EQ(talkative.store.ack(*talkative.lease), Settled::done);
  EXPECT_FALSE(talkative.spoke());
  talkative.lease.reset();
  EXPECT_TRUE(talkative.spoke());
}

TEST(AnEventWhoseDestructorPublishes, WorksInATerminateAndInACancel) {
  Talkative terminated;
  terminated.lease.reset();
  EXPECT_EQ(terminated.store.control().terminate("a"), 1u);
  EXPECT_TRUE(terminated.spoke());
  Talkative cancelled;
  EXPECT_EQ(cancelled.store.nack(*cancelled.lease), Settled::done);
  cancelled.lease.reset();
  EXPECT_EQ(cancelled.store.control().cancel("a", LastWord([] {})).dropped, 1u);
  EXPECT_TRUE(cancelled.spoke());
}

TEST(AnEventWhoseDestructorPublishes, WorksInDropDead) {
  Talkative talkative;
  EXPECT_EQ(talkative.store.reject(*talkative.lease), Settled::done);
  talkative.lease.reset();
  talkative.store.control().drop_dead(1);
  EXPECT_TRUE(talkative.spoke());
}

TEST(AnEventWhoseDestructorPublishes, WorksWhenTheTransportIsDestroyed) {
  bool spoke = false;
  {
    InMemoryTransport<LastWord> store;
    store.publish("a", LastWord([&] { store.publish("b", LastWord([&] { spoke = true; })); }));
  }
  EXPECT_TRUE(spoke);
}

/// A clock that asks the transport something each time it is read.
class CuriousClock final : public Clock {
 public:
  Instant now() const override {
    if (ask && !asking_) {
      asking_ = true;
      ask();
      asking_ = false;
    }
    return Instant(1s);
  }

  std::function<void()> ask;

 private:
  mutable bool asking_ = false;
};

TEST(AClockThatCallsBack, FindsNoLockHeld) {
  auto clock = std::make_shared<CuriousClock>();
  InMemoryTransport<Bytes> store({.queue = {.max_attempts = 3}, .clock = clock});
  std::uint64_t answers = 0;
  clock->ask = [&] {
    store.control().stats();
    ++answers;
  };
  store.publish("a", Bytes("a1"));
  store.publish("a", Bytes("a2"));
  const auto first = store.claim("worker", 1h);
  ASSERT_TRUE(first);
  EXPECT_EQ(store.extend(*first, 1h), Settled::done);
  EXPECT_EQ(store.nack(*first, 0s), Settled::done);
  const auto second = store.claim_wait("worker", 1h);
  ASSERT_TRUE(second);
  EXPECT_TRUE(store.ack_claim(*second, "worker", 1h).lease);
  store.control().inspect("a");
  store.control().cancel("a", Bytes("a3"));
  store.control().terminate("a");
  EXPECT_GT(answers, 0u);
  clock->ask = nullptr;
}

TEST(ALease, OutlivesItsTransport) {
  std::optional<Lease<Bytes>> lease;
  {
    InMemoryTransport<Bytes> store;
    store.publish("group", Bytes("payload"));
    lease = store.claim("worker", 1h);
  }
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "payload");
  EXPECT_EQ(lease->group_id(), "group");
}

TEST(ALease, OfASupersededWorkerStillHasItsEvent) {
  auto clock = std::make_shared<testing::ManualClock>();
  InMemoryTransport<Bytes> store({.clock = clock});
  store.publish("a", Bytes("payload"));
  const auto old = store.claim("worker", 1s);
  clock->advance(2s);
  const auto current = store.claim("worker", 1s);
  ASSERT_TRUE(old && current);
  EXPECT_EQ(store.ack(*current), Settled::done);
  EXPECT_EQ(&old->event(), &current->event());
  EXPECT_EQ(old->event(), "payload");
}

TEST(Closing, WakesManyWhoWaitAtOnce) {
  InMemoryTransport<Bytes> store;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 50; ++i) {
    waiters.emplace_back([&] { EXPECT_FALSE(store.claim_wait("waiter", 1h)); });
  }
  store.close();
  waiters.clear();
}

TEST(TheOptions, OfBytesNeedTheSizeOfAnEvent) {
  using Store = InMemoryTransport<int>;
  EXPECT_THROW(Store({.queue = {.max_event_bytes = 1}}), std::invalid_argument);
  Store store({.queue = {.max_event_bytes = 4},
               .event_bytes = [](const int& event) { return static_cast<std::size_t>(event); }});
  store.publish("a", 4);
  EXPECT_THROW(store.publish("a", 5), TransportError);
}

}  // namespace
}  // namespace fairlane
