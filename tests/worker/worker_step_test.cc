#include "worker_fixture.h"

namespace fairlane {
namespace {

using ::testing::Test;
using Strings = std::vector<std::string>;

TEST_F(WorkerTest, StepDoesExactlyOneClaimHandleSettleAndSaysWhetherItDidAnything) {
  publish("a");
  publish("b");
  int handled = 0;
  Worker<std::string> worker(
      queue, [&](const Message&) { ++handled; }, {}, &notes);
  EXPECT_TRUE(worker.step());
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(notes.all(), (Strings{"claimed a/1", "done a/1"}));
  EXPECT_EQ(queue.control().stats().claims, 1);
  EXPECT_TRUE(worker.step());
  EXPECT_FALSE(worker.step());
  EXPECT_EQ(handled, 2);
}

TEST_F(WorkerTest, WhileWorkerStepIsADeterministicDrain) {
  const auto drain = [] {
    Queue other{{.clock = std::make_shared<testing::ManualClock>()}};
    for (int i = 0; i < 300; ++i) other.publish("g" + std::to_string(i * i % 17), "e", i % 3);
    std::string order;
    Worker<std::string> worker(
        other,
        [&](const Message& lease) {
          order += std::to_string(lease.seq()) + " ";
          if (lease.seq() % 7 == 0 && lease.attempt() == 1) throw std::runtime_error("once");
        },
        {.high_ratio = 0.3, .priority_threshold = 2, .backoff = {.min = 0s}, .seed = 9});
    while (worker.step()) {
    }
    EXPECT_EQ(other.control().stats().acked, 300);
    return order;
  };
  EXPECT_EQ(drain(), drain());
}

TEST_F(WorkerTest, TheHandlerReturnsWhatShallBecomeOfTheMessage) {
  for (const char* group : {"done", "retry", "dead", "released", "failed"}) publish(group);
  Worker<std::string> worker(
      queue,
      [](const Message& lease) {
        if (lease.group_id() == "retry") return Outcome::retry(5s);
        if (lease.group_id() == "dead") return Outcome::dead("because");
        if (lease.group_id() == "released") return Outcome::released();
        if (lease.group_id() == "failed") return Outcome::failed("no luck");
        return Outcome::done();
      },
      {.backoff = {.min = 3s, .jitter = 0}}, &notes);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(worker.step());
  EXPECT_EQ(
      notes.all(),
      (Strings{"claimed done/1", "done done/1", "claimed retry/2", "retried retry/2 5000ms ",
               "claimed dead/3", "dead dead/3 because", "claimed released/4", "released released/4",
               "claimed failed/5", "retried failed/5 3000ms no luck"}));
  EXPECT_EQ(state("done"), "absent");
  EXPECT_EQ(queue.control().inspect("retry").until, clock->now() + 5s);
  EXPECT_EQ(queue.control().inspect("failed").until, clock->now() + 3s);
  EXPECT_EQ(state("released"), "ready");
  ASSERT_EQ(queue.control().dead_letters(10).size(), 1);
  EXPECT_EQ(queue.control().dead_letters(10)[0].reason, "because");
}

TEST_F(WorkerTest, AnExceptionIsARetryWithTheBackOffPolicyAndNeverEndsTheWorker) {
  publish("a");
  publish("b");
  Worker<std::string> worker(
      queue,
      [](const Message& lease) {
        if (lease.group_id() == "a") throw std::runtime_error("broken");
        throw 42;
      },
      {.backoff = {.min = 1s, .jitter = 0}}, &notes);
  EXPECT_TRUE(worker.step());
  EXPECT_TRUE(worker.step());
  EXPECT_FALSE(worker.step());
  EXPECT_EQ(notes.count("retried a/1 1000ms broken"), 1);
  EXPECT_EQ(notes.count("retried b/2 1000ms an exception that is no std::exception"), 1);
  clock->advance(1s + 1ns);
  EXPECT_TRUE(worker.step());
  EXPECT_EQ(notes.count("retried a/1 2000ms broken"), 1);
}

TEST_F(WorkerTest, AReleasedMessageSpendsNoAttempt) {
  publish("a");
  std::vector<std::uint32_t> attempts;
  Worker<std::string> worker(queue, [&](const Message& lease) {
    attempts.push_back(lease.attempt());
    return attempts.size() < 3 ? Outcome::released() : Outcome::done();
  });
  while (worker.step()) {
  }
  EXPECT_EQ(attempts, (std::vector<std::uint32_t>{1, 1, 1}));
}

TEST_F(WorkerTest, HighRatioIsTheShareOfClaimsThatLooksAtTheThresholdFirst) {
  for (int i = 0; i < 100; ++i) publish("low" + std::to_string(i), "low", 0);
  for (int i = 0; i < 100; ++i) publish("high" + std::to_string(i), "high", 5);
  std::string order;
  Worker<std::string> worker(queue, [&](const Message& lease) { order += lease.event()[0]; },
                             {.high_ratio = 0.25, .priority_threshold = 5});
  for (int i = 0; i < 40; ++i) worker.step();
  EXPECT_EQ(std::count(order.begin(), order.end(), 'h'), 10);
  EXPECT_EQ(order.substr(0, 8), "lllhlllh") << "evenly spread, not by chance";
}

TEST_F(WorkerTest, AHighLookFallsBackToAllAndTheLowClassAlwaysGetsItsShare) {
  for (int i = 0; i < 10; ++i) publish("low" + std::to_string(i), "low", 0);
  Worker<std::string> worker(queue, [](const Message&) {},
                             {.high_ratio = 1, .priority_threshold = 5});
  int steps = 0;
  while (worker.step()) ++steps;
  EXPECT_EQ(steps, 10);
}

TEST_F(WorkerTest, AllIsTheWorkersOwnFloor) {
  publish("below", "e", -1);
  publish("zero", "e", 0);
  publish("two", "e", 2);
  Worker<std::string> high(
      queue, [](const Message&) {}, {.min_priority = 2, .high_ratio = 1, .priority_threshold = 1},
      &notes);
  EXPECT_TRUE(high.step());
  EXPECT_FALSE(high.step());
  EXPECT_EQ(notes.count("done two"), 1);
  Worker<std::string> unset(
      queue, [](const Message&) {}, {}, &notes);
  EXPECT_TRUE(unset.step());
  EXPECT_FALSE(unset.step()) << "the floor is 0 unless set";
  EXPECT_EQ(state("below"), "ready");
}

TEST_F(WorkerTest, ALateSettleIsStaleAndNotAnError) {
  publish("a");
  Worker<std::string> worker(
      queue, [&](const Message&) { queue.control().terminate("a"); }, {}, &notes);
  EXPECT_TRUE(worker.step());
  EXPECT_EQ(notes.all(), (Strings{"claimed a/1", "stale a/1"}));
}

TEST_F(WorkerTest, StepRaisesATransportsFailure) {
  publish("a");
  testing::FaultyTransport<std::string> faulty(queue, [](testing::Verb verb, std::uint64_t) {
    return testing::Fault{verb == testing::Verb::ack ? testing::Fault::Kind::before
                                                     : testing::Fault::Kind::none};
  });
  Worker<std::string> worker(faulty, [](const Message&) {});
  EXPECT_THROW(worker.step(), TransportError);
}

TEST_F(WorkerTest, WhatAnObserverThrowsIsSwallowed) {
  struct Thrower : WorkerObserver<std::string> {
    void claimed(const Message&) override { throw 1; }
    void done(const Message&) override { throw std::runtime_error("no"); }
  } thrower;
  publish("a");
  Worker<std::string> worker(
      queue, [](const Message&) {}, {}, &thrower);
  EXPECT_TRUE(worker.step());
  EXPECT_EQ(queue.control().stats().acked, 1);
}

TEST_F(WorkerTest, AHandlerMayTakeAStopTokenAndMayBeMoveOnly) {
  publish("a");
  publish("b");
  auto count = std::make_unique<int>(0);
  int& counted = *count;
  Worker<std::string> move_only(queue,
                                [count = std::move(count)](const Message&, std::stop_token stop) {
                                  EXPECT_FALSE(stop.stop_requested());
                                  ++*count;
                                });
  while (move_only.step()) {
  }
  EXPECT_EQ(counted, 2);
}

}  // namespace
}  // namespace fairlane
