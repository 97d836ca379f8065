#include "scheduler/ordered_index.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <random>

#include "support/seed.h"

namespace fairlane::scheduler {
namespace {

/// Groups that are only told apart.
Group* group(std::uint64_t number) { return reinterpret_cast<Group*>(number * 16); }

/// An index beside the plain ordered map that it has to agree with.
class Pair {
 public:
  void insert(OrderKey key) {
    const auto number = ++last_;
    index_.prepare();
    index_.insert(key, group(number));
    map_.emplace(key, group(number));
  }

  void erase(std::map<OrderKey, Group*>::iterator at) {
    index_.erase(at->first);
    map_.erase(at);
  }

  std::map<OrderKey, Group*>& map() { return map_; }

  void expect_equal_ends() const {
    ASSERT_EQ(index_.size(), map_.size());
    ASSERT_EQ(index_.empty(), map_.empty());
    if (map_.empty()) return;
    ASSERT_EQ(index_.front().key, map_.begin()->first);
    ASSERT_EQ(index_.front().group, map_.begin()->second);
  }

  void expect_equal() const {
    auto at = map_.begin();
    index_.visit_while([&](const OrderedIndex::Entry& entry) {
      EXPECT_TRUE(at != map_.end() && at->first == entry.key && at->second == entry.group);
      return at++ != map_.end();
    });
    EXPECT_EQ(at, map_.end());
  }

 private:
  OrderedIndex index_;
  std::map<OrderKey, Group*> map_;
  std::uint64_t last_ = 0;
};

/// How keys arrive: their majors, as a function of the step and of chance.
using Arrival = std::function<std::int64_t(std::int64_t step, std::mt19937_64& random)>;

void run_against_map(const Arrival& arrival) {
  std::mt19937_64 random(test::seed());
  Pair pair;
  for (std::int64_t step = 0; step < 100'000; ++step) {
    const bool grows = (step / 10'000) % 2 == 0;
    if (pair.map().empty() || random() % 100 < (grows ? 60U : 40U)) {
      pair.insert({arrival(step, random), static_cast<std::uint64_t>(step)});
    } else if (random() % 2 == 0) {
      pair.erase(pair.map().begin());
    } else if (random() % 3 == 0) {
      pair.erase(std::prev(pair.map().end()));
    } else {
      const auto near = pair.map().lower_bound({arrival(step, random), 0});
      pair.erase(near == pair.map().end() ? pair.map().begin() : near);
    }
    ASSERT_NO_FATAL_FAILURE(pair.expect_equal_ends()) << "step " << step;
    if (step % 5'000 == 0) {
      ASSERT_NO_FATAL_FAILURE(pair.expect_equal());
    }
  }
}

TEST(OrderedIndex, AgreesWithAMapWhenKeysArriveInOrder) {
  run_against_map([](std::int64_t step, std::mt19937_64&) { return step; });
}

TEST(OrderedIndex, AgreesWithAMapWhenKeysArriveNearlyInOrder) {
  run_against_map([](std::int64_t step, std::mt19937_64& random) {
    return step + static_cast<std::int64_t>(random() % 300);
  });
}

TEST(OrderedIndex, AgreesWithAMapWhenKeysArriveAtRandom) {
  run_against_map([](std::int64_t, std::mt19937_64& random) {
    return static_cast<std::int64_t>(random() % 1'000'000);
  });
}

TEST(OrderedIndex, AgreesWithAMapWhenKeysArriveBackwards) {
  run_against_map([](std::int64_t step, std::mt19937_64&) { return -step; });
}

TEST(OrderedIndex, AgreesWithAMapWhenAllMajorsAreEqual) {
  run_against_map([](std::int64_t, std::mt19937_64&) { return 0; });
}

TEST(OrderedIndex, PeeksBehindTheFront) {
  OrderedIndex index;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    index.prepare();
    index.insert({0, i}, group(i));
  }
  EXPECT_EQ(index.peek(0), group(1));
  EXPECT_EQ(index.peek(2), group(3));
  EXPECT_EQ(index.peek(3), nullptr);
}

TEST(OrderedIndex, VisitsNoFurtherThanAsked) {
  OrderedIndex index;
  for (std::uint64_t i = 1; i <= 1'000; ++i) {
    index.prepare();
    index.insert({0, i}, group(i));
  }
  int visited = 0;
  index.visit_while([&](const OrderedIndex::Entry&) { return ++visited < 500; });
  EXPECT_EQ(visited, 500);
}

TEST(OrderedIndex, PreparesForManyInsertionsNextToEachOther) {
  OrderedIndex index;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    index.prepare();
    index.insert({static_cast<std::int64_t>(i % 2), i}, group(i));
  }
  index.prepare(10'000);
  for (std::uint64_t i = 0; i < 10'000; ++i) index.insert({0, 1'000'000 + i}, group(i));
  EXPECT_EQ(index.size(), 11'000U);
}

}  // namespace
}  // namespace fairlane::scheduler
