#include <map>
#include <set>

#include "worker_fixture.h"

namespace fairlane {
namespace {

TEST_F(WorkerTest, RunDoesItOnNThreadsUntilStopped) {
  for (int i = 0; i < 3; ++i) publish("g" + std::to_string(i));
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<std::string> names;
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        std::size_t before = 0;
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          names.insert(*queue.control().inspect(lease.group_id()).worker_id);
          before = threads.size();
        }
        static_cast<void>(before);
        await([&] {
          const std::lock_guard lock(mutex);
          return threads.size() == 3;
        });
      },
      {.worker_id = "w", .threads = 3}, &notes);
  auto running = start(worker);
  notes.await("done", 3);
  running.request_stop();
  running.join();
  EXPECT_EQ(names, (std::set<std::string>{"w-1", "w-2", "w-3"}));
}

TEST_F(WorkerTest, RunWaitsWithClaimWaitAndTakesWhatIsPublishedLater) {
  Worker<std::string> worker(
      queue, [](const Message&) {}, {}, &notes);
  auto running = start(worker);
  clock->wait_for_sleepers(1);
  publish("a");
  notes.await("done a/1");
  running.request_stop();
  running.join();
  EXPECT_EQ(queue.control().stats().claims, 1);
}

TEST_F(WorkerTest, EachGroupIsHandledInOrderAndNothingIsLost) {
  constexpr int messages = 20'000;
  for (int i = 0; i < messages; ++i) publish("g" + std::to_string(i * 7 % 101));
  std::mutex mutex;
  std::map<std::string, std::vector<std::uint64_t>> seen;
  Worker<std::string> worker(
      queue,
      [&](const Message& lease) {
        const std::lock_guard lock(mutex);
        seen[std::string(lease.group_id())].push_back(lease.seq());
      },
      {.threads = 4}, &notes);
  auto running = start(worker);
  notes.await("done", messages);
  running.request_stop();
  running.join();
  std::size_t total = 0;
  for (const auto& [group, seqs] : seen) {
    total += seqs.size();
    EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end())) << group;
  }
  EXPECT_EQ(total, messages);
  EXPECT_EQ(queue.control().stats().groups, 0);
}

TEST_F(WorkerTest, AnExceptionNeverEndsTheRun) {
  publish("a");
  publish("b");
  Worker<std::string> worker(
      queue,
      [](const Message& lease) {
        if (lease.group_id() == "a") throw 1;
      },
      {}, &notes);
  auto running = start(worker);
  notes.await("retried a/1");
  notes.await("done b/2");
}

TEST_F(WorkerTest, RunSharesItsClaimsByTheHighRatioToo) {
  for (int i = 0; i < 40; ++i) publish("low" + std::to_string(i), "low", 0);
  for (int i = 0; i < 40; ++i) publish("high" + std::to_string(i), "high", 5);
  std::string order;
  Worker<std::string> worker(
      queue, [&](const Message& lease) { order += lease.event()[0]; },
      {.high_ratio = 0.5, .priority_threshold = 5, .batch = 1}, &notes);
  auto running = start(worker);
  notes.await("done", 80);
  running.request_stop();
  running.join();
  EXPECT_EQ(std::count(order.begin(), order.begin() + 40, 'h'), 20);
}

TEST_F(WorkerTest, AWorkerMayRunAgain) {
  Worker<std::string> worker(
      queue, [](const Message&) {}, {.threads = 2}, &notes);
  for (std::size_t turn = 1; turn <= 3; ++turn) {
    publish("a");
    auto running = start(worker);
    notes.await("done a", turn);
  }
}

TEST_F(WorkerTest, AClosedTransportIsStillDrainedAndStopsAtOnce) {
  publish("a");
  queue.close();
  Worker<std::string> worker(
      queue, [](const Message&) {}, {}, &notes);
  auto running = start(worker);
  notes.await("done a/1");
}

}  // namespace
}  // namespace fairlane
