#include "worker_fixture.h"

namespace fairlane {
namespace {

// A clock that stands still must not matter to any of these.

TEST_F(WorkerTest, ASlowHandlerDoesNotSitOnLeasesThatASiblingCouldTake) {
  constexpr int messages = 400;
  for (int i = 1; i <= messages; ++i) publish("g" + std::to_string(i));
  std::atomic<bool> waits{false};
  std::atomic<std::size_t> others{0};
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        ++others;
        // By then the batches have grown. This one waits for all the others, its own batch too.
        if (lease.seq() == 200 && !waits.exchange(true)) await([&] { return others == messages; });
      },
      {.threads = 2}, &notes);
  auto running = start(worker);
  notes.await("done", messages);
}

TEST_F(WorkerTest, ASlowHandlerDoesNotSitOnLeasesThatAnotherWorkerCouldTake) {
  constexpr int messages = 400;
  for (int i = 1; i <= messages; ++i) publish("g" + std::to_string(i));
  std::atomic<int> handled{0};
  Gate slow;
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        if (lease.seq() == 200) {
          slow.open();
          await([&] { return handled == messages - 1; });
        }
        ++handled;
      },
      {}, &notes);
  Worker<std::string> other(queue, [&](const Message&) { ++handled; });
  auto running = start(worker);
  slow.pass();
  await([&] { return other.step() ? handled == messages : handled >= messages - 1; });
  notes.await("done g200/200");
  EXPECT_EQ(queue.control().stats().redelivered, 0) << "what was handed back spends no attempt";
}

TEST_F(WorkerTest, ASlowHandlerDoesNotHoldBackTheAcksOfThoseBeforeItInItsBatch) {
  constexpr int messages = 400;
  for (int i = 1; i <= messages; ++i) publish("g" + std::to_string(i));
  publish("g199", "follower");
  Gate follower;
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        if (lease.seq() == 200) follower.pass();
        if (lease.event() == "follower") follower.open();
      },
      {.threads = 2}, &notes);
  auto running = start(worker);
  notes.await("done", messages + 1);
}

TEST_F(WorkerTest, SettlesOfAllKindsMixInABatch) {
  constexpr int messages = 600;
  for (int i = 1; i <= messages; ++i) publish("g" + std::to_string(i));
  Worker<std::string> worker(
      queue,
      [](const Message& lease) {
        if (lease.seq() % 5 == 1) return Outcome::dead("odd");
        if (lease.seq() % 5 == 2) return Outcome::retry(1h);
        return Outcome::done();
      },
      {.threads = 2}, &notes);
  auto running = start(worker);
  notes.await("done", 360);
  notes.await("dead", 120);
  notes.await("retried", 120);
  const auto stats = queue.control().stats();
  EXPECT_EQ(stats.acked, 360);
  EXPECT_EQ(stats.parked, 120);
  EXPECT_EQ(stats.dead, 120);
}

}  // namespace
}  // namespace fairlane
