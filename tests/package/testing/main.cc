// An embedder's own test of what happens when a worker dies: no sleep, a clock moved by hand.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/manual_clock.h"

namespace {

using std::chrono::seconds;

TEST(Embedder, GetsTheMessageAgainWhenItsLeaseRanOut) {
  const auto clock = std::make_shared<fairlane::testing::ManualClock>();
  fairlane::InMemoryTransport<std::string> transport({.clock = clock});
  transport.publish("job", "resize");
  ASSERT_TRUE(transport.claim("dies", seconds(30)));
  clock->advance(seconds(30));
  EXPECT_FALSE(transport.claim("next", seconds(30)));
  clock->advance(std::chrono::nanoseconds(1));
  const auto again = transport.claim("next", seconds(30));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt(), 2U);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
