#include "worker_fixture.h"

namespace fairlane {
namespace {

TEST_F(WorkerTest, AStopEndsWaitingThreadsAtOnce) {
  Worker<std::string> worker(queue, [](const Message&) {}, {.threads = 4});
  auto running = start(worker);
  clock->wait_for_sleepers(5);
  running.request_stop();
  running.join();
}

TEST_F(WorkerTest, AStopBeforeTheRunClaimsNothing) {
  publish("a");
  std::stop_source stop;
  stop.request_stop();
  Worker<std::string> worker(queue, [](const Message&) {}, {.threads = 2});
  worker.run(stop.get_token());
  EXPECT_EQ(queue.control().stats().claims, 0);
}

TEST_F(WorkerTest, HandlersGetAGraceTimeToFinishAndNoNewClaimIsMade) {
  publish("a");
  publish("b");
  Gate begun;
  Gate end;
  Worker<std::string> worker(
      queue,
      [&](const Message&, const std::stop_token& stop) {
        begun.open();
        end.pass();
        EXPECT_FALSE(stop.stop_requested());
      },
      {.grace = 10s}, &notes);
  auto running = start(worker);
  begun.pass();
  running.request_stop();
  clock->advance(10s - 1ns);
  end.open();
  running.join();
  EXPECT_EQ(notes.count("done a/1"), 1);
  EXPECT_EQ(notes.count("claimed"), 1);
  EXPECT_EQ(state("b"), "ready");
}

TEST_F(WorkerTest, WhatIsNotFinishedAfterTheGraceIsHandedBackAtOnceAndSpendsNoAttempt) {
  publish("a");
  Gate begun;
  Gate end;
  std::atomic<bool> told{false};
  Worker<std::string> worker(
      queue,
      [&](const Message&, const std::stop_token& stop) {
        begun.open();
        await([&] { return stop.stop_requested(); });
        told = true;
        end.pass();  // It ignores the stop, and holds nobody up.
      },
      {.visibility = 1h, .grace = 10s}, &notes);
  auto running = start(worker);
  begun.pass();
  running.request_stop();
  // The grace begins when the run sees the stop, by the same clock.
  await([&] {
    clock->advance(1s);
    return told.load();
  });
  notes.await("released a/1");
  const auto again = queue.claim("other", 1h);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt(), 1);
  end.open();
  running.join();
  EXPECT_EQ(notes.count("stale a/1"), 1);
  EXPECT_EQ(queue.ack(*again), Settled::done);
}

TEST_F(WorkerTest, LeasesOfABatchThatWereNotBegunAreReleasedAtOnceByAStop) {
  constexpr int messages = 400;
  for (int i = 1; i <= messages; ++i) publish("g" + std::to_string(i));
  Gate begun;
  Gate end;
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        if (lease.seq() != 200) return;
        begun.open();
        end.pass();
      },
      {.visibility = 1h}, &notes);
  auto running = start(worker);
  begun.pass();
  running.request_stop();
  await([&] { return queue.control().stats().leased == 1; });
  end.open();
  running.join();
  const auto stats = queue.control().stats();
  EXPECT_EQ(stats.leased, 0);
  EXPECT_EQ(stats.acked + stats.ready, messages);
  EXPECT_EQ(notes.count("done g200/200"), 1);
}

TEST_F(WorkerTest, AMessageClaimedAtTheMomentOfTheStopIsNeverLost) {
  for (int turn = 0; turn < 300; ++turn) {
    Queue racing;
    std::atomic<std::uint64_t> handled{0};
    Worker<std::string> worker(racing, [&](const Message&) { ++handled; }, {.threads = 2});
    auto running = start(worker);
    std::jthread publisher([&] {
      for (int i = 0; i < 20; ++i) racing.publish("g" + std::to_string(i % 7), std::string("e"));
    });
    if (turn % 2 == 0) await([&] { return handled > static_cast<std::uint64_t>(turn % 20); });
    running.request_stop();
    running.join();
    publisher.join();
    const auto stats = racing.control().stats();
    ASSERT_EQ(stats.leased, 0) << turn;
    ASSERT_EQ(stats.acked, handled) << turn;
    ASSERT_EQ(stats.ready + stats.waiting, 20 - handled) << turn;
  }
}

}  // namespace
}  // namespace fairlane
