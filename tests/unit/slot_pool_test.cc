#include "scheduler/slot_pool.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "support/seed.h"

namespace fairlane::scheduler {
namespace {

struct Record {
  std::uint64_t value;
  Slot link;
  Slot& free_link() noexcept { return link; }
};

TEST(SlotPool, GivesIdleRecordsAndKeepsTheRest) {
  std::mt19937_64 random(test::seed());
  SlotPool<Record> pool;
  std::map<Slot, std::uint64_t> held;
  for (std::uint64_t step = 1; step < 100'000; ++step) {
    const bool grows = (step / 10'000) % 2 == 0;
    if (held.empty() || random() % 100 < (grows ? 60U : 30U)) {
      const Slot slot = pool.allocate();
      ASSERT_TRUE(held.emplace(slot, step).second) << "slot " << slot << " was in use";
      ASSERT_EQ(pool[slot].value, 0U);
      pool[slot].value = step;
    } else {
      auto at = held.lower_bound(static_cast<Slot>(random() % 5'000));
      if (at == held.end()) at = held.begin();
      ASSERT_EQ(pool[at->first].value, at->second);
      pool.release(at->first);
      held.erase(at);
    }
  }
  for (const auto& [slot, value] : held) EXPECT_EQ(pool[slot].value, value);
}

TEST(SlotPool, GivesMemoryBackWhenItsChunksAreEmpty) {
  SlotPool<Record> pool;
  std::vector<Slot> slots;
  for (int i = 0; i < 100'000; ++i) slots.push_back(pool.allocate());
  for (const Slot slot : slots) pool.release(slot);
  EXPECT_LE(pool.chunks(), 1U);
}

TEST(SlotPool, ReusesWhatWasReleasedLast) {
  SlotPool<Record> pool;
  const Slot first = pool.allocate();
  pool.release(first);
  EXPECT_EQ(pool.allocate(), first);
}

}  // namespace
}  // namespace fairlane::scheduler
