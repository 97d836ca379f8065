// Real threads on few groups: nothing is in two hands, nothing is lost, nothing gets stuck.
//
// FAIRLANE_STRESS_OPERATIONS: messages of each case (1,000,000; lower it under sanitizers).
// FAIRLANE_SEED: the seed (random; printed).
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "fairlane/in_memory_transport.h"
#include "support/seed.h"
#include "tally.h"

namespace fairlane::stress {
namespace {

using namespace std::chrono_literals;

void expect_drained(Transport<Bytes>& store) {
  const auto s = store.control().stats();
  EXPECT_EQ(s.leased + s.parked + s.suspended + s.ready + s.waiting, 0u);
  EXPECT_EQ(s.groups, 0u);
  EXPECT_EQ(s.published, s.acked + s.dead + s.dropped + s.redriven);
}

/// Threads that call the same function with their number; joined on destruction.
class Crew {
 public:
  template <class Work>
  void add(std::size_t count, const Work& work) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back(work, i);
  }
  void join() { threads_.clear(); }

 private:
  std::vector<std::jthread> threads_;
};

class Stress : public ::testing::TestWithParam<Rotation> {
 protected:
  Stress() : store_({.queue = {.rotation = GetParam()}}) {}

  InMemoryTransport<Bytes> store_;
  Tally tally_;
};

// The groups hold one message or none nearly always, so every publish races the ack that drains.
TEST_P(Stress, APublishThatRacesTheDrainingAckLosesNoGroup) {
  const auto count = operations();
  std::atomic<std::uint64_t> acked{0};
  Crew crew;
  crew.add(2, [&](std::size_t publisher) {
    for (std::uint64_t i = publisher; i < count; i += 2) {
      while (i > acked.load() + 8) std::this_thread::yield();
      store_.publish(group_name(i % group_count), Bytes());
    }
  });
  crew.add(2, [&](std::size_t) {
    while (acked.load() < count) {
      const auto lease = store_.claim("worker", 1h);
      if (!lease) {
        std::this_thread::yield();
        continue;
      }
      tally_.enter(*lease);
      tally_.finish(*lease);
      EXPECT_EQ(store_.ack(*lease), Settled::done);
      ++acked;
    }
  });
  crew.join();
  EXPECT_EQ(tally_.shared(), 0u);
  EXPECT_EQ(tally_.out_of_order(), 0u);
  EXPECT_EQ(store_.control().stats().acked, count);
  expect_drained(store_);
}

TEST_P(Stress, EverySettleKeepsGroupsExclusiveAndInOrder) {
  const auto count = operations(2);
  const auto seed = test::seed();
  std::atomic<std::uint64_t> finished{0};
  Crew crew;
  crew.add(1, [&](std::size_t) {
    for (std::uint64_t i = 0; i < count; ++i) {
      while (i > finished.load() + 100) std::this_thread::yield();
      store_.publish(group_name(i % group_count), Bytes("event"), static_cast<int>(i % 3));
    }
  });
  crew.add(3, [&](std::size_t worker) {
    std::mt19937_64 random(seed + worker);
    while (finished.load() < count) {
      const auto lease = store_.claim("worker", 1h);
      if (!lease) {
        std::this_thread::yield();
        continue;
      }
      tally_.enter(*lease);
      const auto way = random() % 8;
      if (way == 0) {
        EXPECT_EQ(store_.extend(*lease, 2h), Settled::done);
      }
      if (way == 1 || way == 2 || way == 3) {
        tally_.leave(*lease);
        const Duration delay = way == 1 ? Duration(1ns) : Duration();
        EXPECT_EQ(way == 3 ? store_.release(*lease) : store_.nack(*lease, delay), Settled::done);
        continue;
      }
      tally_.finish(*lease);
      EXPECT_EQ(way == 4 ? store_.reject(*lease) : store_.ack(*lease), Settled::done);
      ++finished;
    }
  });
  crew.join();
  EXPECT_EQ(tally_.shared(), 0u);
  EXPECT_EQ(tally_.out_of_order(), 0u);
  expect_drained(store_);
}

// Leases run out while they are worked on; a late ack has to be stale exactly if another claimed.
TEST_P(Stress, TinyVisibilitiesWedgeNothingAndAckEachMessageOnce) {
  const auto count = operations(4);
  const auto seed = test::seed();
  std::vector<std::atomic<std::uint32_t>> acks(count + 1);
  std::atomic<std::uint64_t> acked{0};
  Crew crew;
  crew.add(1, [&](std::size_t) {
    for (std::uint64_t i = 0; i < count; ++i) {
      while (i > acked.load() + 50) std::this_thread::yield();
      store_.publish(group_name(i % group_count), Bytes());
    }
  });
  crew.add(3, [&](std::size_t worker) {
    std::mt19937_64 random(seed + worker);
    while (acked.load() < count) {
      const auto lease = store_.claim("worker", std::chrono::nanoseconds(random() % 3000));
      if (!lease) std::this_thread::yield();
      if (!lease || random() % 16 == 0) continue;
      if (store_.ack(*lease) == Settled::stale) continue;
      ++acks[lease->seq()];
      ++acked;
    }
  });
  crew.join();
  for (std::uint64_t seq = 1; seq <= count; ++seq) ASSERT_EQ(acks[seq].load(), 1u) << seq;
  expect_drained(store_);
}

/// Suspends, resumes, terminates and cancels until told to stop, and leaves all resumed.
void interfere(Transport<Bytes>& store, std::uint64_t seed, const std::atomic<bool>& over) {
  std::mt19937_64 random(seed);
  while (!over) {
    const auto group = group_name(random() % group_count);
    const auto way = random() % 16;
    if (way < 4) store.control().suspend(group);
    if (way >= 4 && way < 14) store.control().resume(group);
    if (way == 14) store.control().terminate(group);
    if (way == 15) store.control().cancel(group, Bytes("cancel"));
    std::this_thread::yield();
  }
  for (std::size_t group = 0; group < group_count; ++group) {
    store.control().resume(group_name(group));
  }
}

TEST_P(Stress, SuspendResumeTerminateAndCancelWedgeNothing) {
  const auto count = operations(4);
  const auto seed = test::seed();
  std::atomic<bool> over{false};
  std::atomic<bool> published{false};
  Crew meddlers;
  meddlers.add(1, [&](std::size_t) { interfere(store_, seed, over); });
  Crew crew;
  crew.add(1, [&](std::size_t) {
    for (std::uint64_t i = 0; i < count; ++i) {
      store_.publish(group_name(i % group_count), Bytes());
      if (i % 64 == 0) std::this_thread::yield();
    }
    published = true;
  });
  crew.add(2, [&](std::size_t) {
    while (!published) {
      const auto lease = store_.claim("worker", 1h);
      // A terminate may come between: then the lease is stale, and that is all.
      if (lease) static_cast<void>(store_.ack(*lease));
      if (!lease) std::this_thread::yield();
    }
  });
  crew.join();
  over = true;
  meddlers.join();
  while (const auto lease = store_.claim("worker", 1h)) {
    EXPECT_EQ(store_.ack(*lease), Settled::done);
  }
  expect_drained(store_);
}

TEST_P(Stress, AckClaimAndBatchesKeepGroupsExclusiveAndInOrder) {
  const auto count = operations(2);
  std::atomic<std::uint64_t> acked{0};
  Crew crew;
  crew.add(1, [&](std::size_t) {
    for (std::uint64_t i = 0; i < count; i += group_count) {
      while (i > acked.load() + 200) std::this_thread::yield();
      std::vector<std::string> names;
      std::vector<Publication<Bytes>> batch;
      for (std::size_t group = 0; group < group_count; ++group) names.push_back(group_name(group));
      for (const auto& name : names) batch.push_back({name, Bytes()});
      store_.publish_batch(batch);
    }
  });
  const auto total = (count + group_count - 1) / group_count * group_count;
  crew.add(1, [&](std::size_t) {
    while (acked.load() < total) {
      const auto leases = store_.claim_batch(2, "batch", 1h);
      if (leases.empty()) std::this_thread::yield();
      for (const auto& lease : leases) tally_.enter(lease);
      for (const auto& lease : leases) tally_.finish(lease);
      for (const auto settled : store_.ack_batch(leases)) EXPECT_EQ(settled, Settled::done);
      acked += leases.size();
    }
  });
  crew.add(2, [&](std::size_t) {
    while (acked.load() < total) {
      auto lease = store_.claim("worker", 1h);
      if (!lease) std::this_thread::yield();
      while (lease) {
        tally_.enter(*lease);
        tally_.finish(*lease);
        auto both = store_.ack_claim(*lease, "worker", 1h);
        EXPECT_EQ(both.settled, Settled::done);
        ++acked;
        lease = std::move(both.lease);
      }
    }
  });
  crew.join();
  EXPECT_EQ(tally_.shared(), 0u);
  EXPECT_EQ(tally_.out_of_order(), 0u);
  expect_drained(store_);
}

INSTANTIATE_TEST_SUITE_P(InMemory, Stress,
                         ::testing::Values(Rotation::oldest_claim_first, Rotation::ready_order),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace fairlane::stress
