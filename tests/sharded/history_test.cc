// Random histories over three shards against a slow check that knows nothing of shards: each group
// in order and alone, settles judged by who holds the lease, nothing withheld.
//
// FAIRLANE_SEED repeats one; FAIRLANE_SHARDED_OPERATIONS: operations (300,000).
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "sharded_fixture.h"
#include "support/seed.h"

namespace fairlane::sharded {
namespace {

using std::chrono::milliseconds;

/// What is known of a group, from what was asked and answered.
struct Known {
  struct Message {
    std::uint64_t seq;
    std::string event;
    std::uint32_t attempts = 0;
  };
  std::deque<Message> messages = {};
  std::int32_t priority = 0;
  bool suspended = false;
  std::uint64_t current = 0;  ///< fence of the current lease of the head; 0: none
  std::optional<Instant> in_flight_until = std::nullopt;

  bool claimable(Instant now, std::int32_t floor) const {
    return !messages.empty() && !suspended && priority >= floor &&
           (!in_flight_until || *in_flight_until < now);
  }
  void free() {
    current = 0;
    in_flight_until.reset();
  }
  void drop_head() {
    messages.pop_front();
    free();
  }
};

class ShardedHistoryTest : public ShardedTest {
 protected:
  using Random = std::mt19937_64;

  std::uint64_t below(std::uint64_t n) { return random() % n; }
  std::string any_group() { return "g" + std::to_string(below(14)); }
  std::int32_t any_floor() { return static_cast<std::int32_t>(below(4)) - 1; }
  Instant now() const { return clock->now(); }

  void publish() {
    const auto group = any_group();
    const auto priority = any_floor();
    const std::string event = std::to_string(++events);
    const auto seq = queue->publish(group, event, priority);
    Known& of = known[group];
    if (of.messages.empty()) of.priority = priority;
    if (!of.messages.empty()) {
      EXPECT_GT(seq, of.messages.back().seq);
    }
    of.messages.push_back({seq, event});
  }

  void expect_lease(const Lease<Bytes>& lease, Duration visibility, std::int32_t floor) {
    Known& of = known[std::string(lease.group_id())];
    ASSERT_TRUE(of.claimable(now(), floor)) << lease.group_id();
    auto& head = of.messages.front();
    EXPECT_EQ(lease.seq(), head.seq);
    EXPECT_EQ(lease.event(), head.event);
    EXPECT_EQ(lease.attempt(), ++head.attempts);
    EXPECT_EQ(lease.expires_at(), saturating_add(now(), visibility));
    of.current = lease.fence();
    of.in_flight_until = lease.expires_at();
    leases.push_back(lease);
    if (leases.size() > 40) leases.pop_front();
  }
  void expect_nothing(std::int32_t floor) {
    for (const auto& [group, of] : known) EXPECT_FALSE(of.claimable(now(), floor)) << group;
  }

  void claim_any() {
    const Duration visibility = milliseconds(below(50));
    const auto floor = any_floor();
    const auto n = below(3) == 0 ? 1 + below(5) : 1;
    std::vector<Lease<Bytes>> taken;
    if (n > 1) {
      taken = queue->claim_batch(n, "w", visibility, floor);
    } else if (auto lease = queue->claim("w", visibility, floor)) {
      taken.push_back(*std::move(lease));
    }
    for (const auto& lease : taken) expect_lease(lease, visibility, floor);
    if (taken.size() < n) expect_nothing(floor);
  }

  /// What a settle through this lease has to answer; "done" is then done to what is known.
  template <class Change>
  Settled expected(const Lease<Bytes>& lease, Change change) {
    Known& of = known[std::string(lease.group_id())];
    const bool is_current =
        of.current != 0 && of.current == lease.fence() && of.messages.front().seq == lease.seq();
    if (!is_current) return Settled::stale;
    change(of);
    return Settled::done;
  }

  void settle() {
    if (leases.empty()) return;
    const auto lease = leases[below(leases.size())];
    const Duration time = milliseconds(below(50));
    const auto drop = [](Known& of) { of.drop_head(); };
    switch (below(6)) {
      case 0:
        return expect_same(queue->ack(lease), expected(lease, drop));
      case 1:
        return expect_same(queue->nack(lease, time), expected(lease, [&](Known& of) {
                             of.free();
                             if (time > Duration())
                               of.in_flight_until = saturating_add(now(), time);
                           }));
      case 2:
        return expect_same(queue->extend(lease, time), expected(lease, [&](Known& of) {
                             of.in_flight_until = saturating_add(now(), time);
                           }));
      case 3:
        return expect_same(queue->release(lease), expected(lease, [](Known& of) {
                             --of.messages.front().attempts;
                             of.free();
                           }));
      case 4:
        return expect_same(queue->reject(lease), expected(lease, drop));
      default: {
        const auto floor = any_floor();
        const auto both = queue->ack_claim(lease, "w", time, floor);
        expect_same(both.settled, expected(lease, drop));
        if (both.lease) return expect_lease(*both.lease, time, floor);
        expect_nothing(floor);
      }
    }
  }
  static void expect_same(Settled is, Settled should_be) {
    EXPECT_EQ(to_string(is), to_string(should_be));
  }

  void ack_some() {
    std::vector<Lease<Bytes>> some;
    for (std::uint64_t i = below(6); i > 0 && !leases.empty(); --i) {
      some.push_back(leases[below(leases.size())]);
    }
    const auto settled = queue->ack_batch(some);
    // The same lease twice: done, then stale; shards keep the order of what is theirs.
    for (std::size_t i = 0; i < some.size(); ++i) {
      expect_same(settled[i], expected(some[i], [](Known& of) { of.drop_head(); }));
    }
  }

  void control() {
    const auto group = any_group();
    Known& of = known[group];
    switch (below(4)) {
      case 0:
        queue->control().suspend(group);
        of.suspended = true;
        break;
      case 1:
      case 2:
        queue->control().resume(group);
        of.suspended = false;
        break;
      default:
        if (below(8) != 0) return;
        EXPECT_EQ(queue->control().terminate(group), of.messages.size());
        of.messages.clear();
        of.free();
    }
  }

  void step() {
    switch (below(8)) {
      case 0:
      case 1:
        return publish();
      case 2:
      case 3:
        return claim_any();
      case 4:
        return ack_some();
      case 5:
        return control();
      case 6:
        return settle();
      default:
        clock->advance(milliseconds(below(20)));
    }
  }

  Random random;
  std::map<std::string, Known> known;
  std::deque<Lease<Bytes>> leases;
  int events = 0;
};

TEST_F(ShardedHistoryTest, IsAsOneQueueWithinEachGroup) {
  random.seed(test::seed());
  const auto operations = test::count_from_environment("FAIRLANE_SHARDED_OPERATIONS", 300'000);
  for (std::uint64_t i = 0; i < operations && !HasFailure(); ++i) step();
  for (auto& [group, of] : known) {
    queue->control().resume(group);
    of.suspended = false;
  }
  clock->advance(seconds(1));
  while (const auto lease = claim(-1)) {
    expect_lease(*lease, seconds(30), -1);
    expect_same(queue->ack(*lease), expected(*lease, [](Known& of) { of.drop_head(); }));
    ASSERT_FALSE(HasFailure());
  }
  for (const auto& [group, of] : known) EXPECT_TRUE(of.messages.empty()) << group;
  const auto stats = queue->control().stats();
  EXPECT_EQ(stats.published, static_cast<std::uint64_t>(events));
  EXPECT_EQ(stats.published, stats.acked + stats.dropped + stats.dead_lettered);
}

}  // namespace
}  // namespace fairlane::sharded
