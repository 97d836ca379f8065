#include <map>

#include "support/seed.h"
#include "worker_fixture.h"

namespace fairlane {
namespace {

using testing::Fault;
using testing::FaultyTransport;
using testing::Verb;

TEST_F(WorkerTest, AFailingTransportNeverEndsTheRun) {
  publish("a");
  FaultyTransport<std::string> faulty(queue, [](Verb verb, std::uint64_t call) {
    return Fault{verb == Verb::claim_wait && call <= 3 ? Fault::Kind::before : Fault::Kind::none};
  });
  Worker<std::string> worker(
      faulty, [](const Message&) {}, {.backoff = {.min = 1s, .jitter = 0}, .batch = 1}, &notes);
  auto running = start(worker);
  for (std::size_t failure = 1; failure <= 3; ++failure) {
    notes.await("failed", failure);
    EXPECT_EQ(notes.count("failed"), failure) << "it waits for the back-off, by the clock";
    clock->wait_for_sleepers(2);
    clock->advance(4s);
  }
  notes.await("done a/1");
}

TEST_F(WorkerTest, TheWaitAfterAFailureIsEndedByAStop) {
  FaultyTransport<std::string> faulty(
      queue, [](Verb, std::uint64_t) { return Fault{Fault::Kind::before}; });
  Worker<std::string> worker(
      faulty, [](const Message&) {}, {}, &notes);
  auto running = start(worker);
  notes.await("failed");
  running.request_stop();
  running.join();
}

TEST_F(WorkerTest, AnAckThatSurelyDidNotHappenIsTriedAgain) {
  publish("a");
  FaultyTransport<std::string> faulty(queue, [](Verb verb, std::uint64_t call) {
    return Fault{verb == Verb::ack_claim && call == 1 ? Fault::Kind::before : Fault::Kind::none};
  });
  int handled = 0;
  Worker<std::string> worker(
      faulty, [&](const Message&) { ++handled; }, {.backoff = {.min = 1s, .jitter = 0}, .batch = 1},
      &notes);
  auto running = start(worker);
  notes.await("failed");
  clock->wait_for_sleepers(2);
  clock->advance(1s);
  notes.await("done a/1");
  running.request_stop();
  running.join();
  EXPECT_EQ(handled, 1);
}

TEST_F(WorkerTest, NothingIsLostAndOrderHoldsUnderAFailingTransport) {
  const auto seed = test::seed();
  SCOPED_TRACE("FAIRLANE_SEED=" + std::to_string(seed));
  constexpr int messages = 2'000;
  for (int i = 0; i < messages; ++i) publish("g" + std::to_string(i % 23));
  FaultyTransport<std::string> faulty(queue, testing::random_faults(seed, 0.1));
  std::mutex mutex;
  std::map<std::string, std::vector<std::uint64_t>> seen;
  Worker<std::string> worker(
      faulty,
      [&](const Message& lease) {
        const std::lock_guard lock(mutex);
        auto& seqs = seen[std::string(lease.group_id())];
        // A delivery may be repeated, but nothing comes before what stands ahead of it.
        if (seqs.empty() || seqs.back() != lease.seq()) seqs.push_back(lease.seq());
      },
      {.threads = 3, .visibility = 30s, .backoff = {.min = 1ms, .max = 10ms}, .seed = seed},
      &notes);
  auto running = start(worker);
  // Leases whose claim's answer was lost run out only if time passes.
  await([&] {
    clock->advance(1ms);
    return queue.control().stats().groups == 0;
  });
  running.request_stop();
  running.join();
  std::size_t total = 0;
  for (const auto& [group, seqs] : seen) {
    total += seqs.size();
    EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end())) << group;
  }
  EXPECT_EQ(total, messages);
  EXPECT_EQ(queue.control().stats().acked, messages);
  EXPECT_GT(notes.count("failed"), 0);
}

}  // namespace
}  // namespace fairlane
