#include "scheduler/worker_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace fairlane::scheduler {
namespace {

TEST(WorkerNames, OneNameHasOneNumber) {
  WorkerNames names;
  const auto a = names.acquire("a");
  const auto b = names.acquire("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(names.acquire("a"), a);
  EXPECT_EQ(names.name(a), "a");
  EXPECT_EQ(names.name(b), "b");
  EXPECT_EQ(names.name(WorkerNames::none), "");
}

TEST(WorkerNames, NamesInUseSurviveManyIdleOnes) {
  WorkerNames names;
  const auto kept = names.acquire("kept");
  for (int i = 0; i < 10'000; ++i) names.release(names.acquire(std::to_string(i)));
  EXPECT_EQ(names.name(kept), "kept");
  EXPECT_EQ(names.acquire("kept"), kept);
}

TEST(WorkerNames, ForgetsIdleNames) {
  WorkerNames names;
  WorkerNames::Number highest = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto number = names.acquire(std::to_string(i));
    highest = std::max(highest, number);
    names.release(number);
  }
  EXPECT_LT(highest, 200U);
}

TEST(WorkerNames, AnEmptyNameIsAName) {
  WorkerNames names;
  const auto empty = names.acquire("");
  EXPECT_NE(empty, WorkerNames::none);
  EXPECT_EQ(names.name(empty), "");
}

}  // namespace
}  // namespace fairlane::scheduler
