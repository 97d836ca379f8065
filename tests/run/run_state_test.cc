// What a run knows of the messages in memory.
#include "run/run_state.h"

#include <gtest/gtest.h>

namespace fairlane::run {
namespace {

TEST(RunState, IsStarvedOnceWhatIsHeldLeavesNoRoom) {
  RunState state(4);
  EXPECT_EQ(state.take_room(3), 3U);
  EXPECT_FALSE(state.starved(3));
  EXPECT_EQ(state.take_room(1), 1U);
  EXPECT_TRUE(state.starved(4));
}

TEST(RunState, IsNotStarvedWhileAMessageIsOnItsWay) {
  RunState state(4);
  EXPECT_EQ(state.take_room(4), 4U);
  EXPECT_FALSE(state.starved(3));
  state.input_done();
  EXPECT_FALSE(state.starved(3));
  state.give_back(1);
  EXPECT_TRUE(state.starved(3));
}

TEST(RunState, IsStarvedOnceTheInputHasEnded) {
  RunState state(4);
  EXPECT_EQ(state.take_room(1), 1U);
  EXPECT_FALSE(state.starved(1));
  state.input_done();
  EXPECT_TRUE(state.starved(1));
}

}  // namespace
}  // namespace fairlane::run
