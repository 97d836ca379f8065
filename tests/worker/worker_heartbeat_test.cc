#include "worker_fixture.h"

namespace fairlane {
namespace {

using testing::FaultyTransport;
using testing::Verb;

class WorkerHeartbeatTest : public WorkerTest {
 protected:
  FaultyTransport<std::string> counted{queue};
};

TEST_F(WorkerHeartbeatTest, AHandlerThatTakesLongerThanItsVisibilityKeepsItsLeaseByHeartbeats) {
  publish("a");
  Gate begun;
  Gate end;
  Worker<std::string> worker(
      counted,
      [&](const Message&, const std::stop_token& stop) {
        begun.open();
        end.pass();
        EXPECT_FALSE(stop.stop_requested());
      },
      {.visibility = 30s}, &notes);
  auto running = start(worker);
  begun.pass();
  for (int beat = 1; beat <= 9; ++beat) {
    clock->advance(10s);
    await([&] { return queue.control().inspect("a").until == clock->now() + 30s; });
    EXPECT_EQ(counted.calls(Verb::extend), beat) << "extends at a third of the visibility";
    EXPECT_FALSE(queue.claim("thief", 1s));
  }
  end.open();
  notes.await("done a/1");
}

TEST_F(WorkerHeartbeatTest, AHandlerShorterThanAThirdOfItsVisibilityCostsNoExtend) {
  Gate begun;
  Gate end;
  Worker<std::string> worker(
      counted,
      [&](const Message&) {
        begun.open();
        end.pass();
      },
      {.visibility = 30s}, &notes);
  auto running = start(worker);
  publish("a");
  begun.pass();
  clock->advance(10s - 1ns);
  end.open();
  notes.await("done a/1");
  running.request_stop();
  running.join();
  EXPECT_EQ(counted.calls(Verb::extend), 0);
}

TEST_F(WorkerHeartbeatTest, WhenTheLeaseIsLostTheHandlerIsToldAndItsLateSettleIsStale) {
  publish("a");
  publish("b");
  Gate begun;
  Worker<std::string> worker(
      counted,
      [&](const Message& lease, const std::stop_token& stop) {
        if (lease.group_id() == "b") {
          EXPECT_FALSE(stop.stop_requested()) << "the next handler has a stop of its own";
          return;
        }
        begun.open();
        await([&] { return stop.stop_requested(); });
      },
      {.visibility = 30s}, &notes);
  auto running = start(worker);
  begun.pass();
  queue.control().terminate("a");
  clock->advance(10s);
  notes.await("lost a/1");
  notes.await("stale a/1");
  notes.await("done b/2");
  EXPECT_EQ(notes.count("failed"), 0);
}

TEST_F(WorkerHeartbeatTest, AFailingExtendIsTriedAgainAfterTheBackOff) {
  publish("a");
  counted.set_plan([](Verb verb, std::uint64_t call) {
    return testing::Fault{verb == Verb::extend && call <= 2 ? testing::Fault::Kind::before
                                                            : testing::Fault::Kind::none};
  });
  Gate begun;
  Gate end;
  Worker<std::string> worker(
      counted,
      [&](const Message&) {
        begun.open();
        end.pass();
      },
      {.visibility = 30s, .backoff = {.min = 1s, .jitter = 0}}, &notes);
  auto running = start(worker);
  begun.pass();
  clock->advance(10s);
  notes.await("failed", 1);
  clock->advance(1s);
  notes.await("failed", 2);
  clock->advance(2s);
  await([&] { return queue.control().inspect("a").until == clock->now() + 30s; });
  end.open();
  notes.await("done a/1");
}

TEST_F(WorkerHeartbeatTest, AVisibilityOfZeroOrForEverNeitherSpinsNorOverflows) {
  for (const Duration visibility : {Duration(), Duration::max()}) {
    publish("a");
    Gate begun;
    Gate end;
    Worker<std::string> worker(
        counted,
        [&](const Message&) {
          begun.open();
          end.pass();
        },
        {.visibility = visibility}, &notes);
    auto running = start(worker);
    begun.pass();
    clock->wait_for_sleepers(1);
    end.open();
    running.request_stop();
    running.join();
    EXPECT_EQ(counted.calls(Verb::extend), 0);
  }
  EXPECT_EQ(notes.count("done a"), 2);
}

}  // namespace
}  // namespace fairlane
