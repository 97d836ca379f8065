// Two queues that hold the same, compared by all they do until they are empty.
#pragma once

#include <gtest/gtest.h>

#include "fairlane/testing/manual_clock.h"
#include "fairlane/transport.h"
#include "support/visible_state.h"

namespace fairlane::test {

/// Both give the same messages in the same order, until nothing is claimable.
inline void drain_alike(Transport<Bytes>& queue, Transport<Bytes>& like) {
  for (;;) {
    const auto one = queue.claim("w", std::chrono::seconds(1), -10);
    const auto other = like.claim("w", std::chrono::seconds(1), -10);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) return;
    EXPECT_EQ(one->seq(), other->seq());
    EXPECT_EQ(one->group_id(), other->group_id());
    EXPECT_EQ(one->event(), other->event());
    EXPECT_EQ(one->attempt(), other->attempt());
    EXPECT_EQ(queue.ack(*one), like.ack(*other));
  }
}

/// All that they hold leaves both in the same way: what is ready, in flight, suspended and dead.
inline void go_on_alike(Transport<Bytes>& queue, Transport<Bytes>& like,
                        testing::ManualClock& clock) {
  EXPECT_EQ(queue.publish("new", "n"), like.publish("new", "n"));
  drain_alike(queue, like);
  clock.advance(std::chrono::seconds(4000));  // Leases and parks run out.
  drain_alike(queue, like);
  for (const auto& group : like.control().groups({.suspended = true})) {
    queue.control().resume(group);
    like.control().resume(group);
  }
  drain_alike(queue, like);
  for (const auto& dead : like.control().dead_letters(10)) {
    EXPECT_EQ(queue.control().redrive(dead.seq), like.control().redrive(dead.seq));
  }
  drain_alike(queue, like);
  EXPECT_EQ(visible_state(queue), visible_state(like));
  EXPECT_EQ(queue.control().stats().groups, 0U);
}

}  // namespace fairlane::test
