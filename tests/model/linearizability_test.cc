// Concurrent calls on one in-memory transport are linearizable (I7).
//
// FAIRLANE_LINEARIZABILITY_ROUNDS: histories of each shape (5,000).
// FAIRLANE_SEED: the seed (random; printed).
#include "linearizability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <iostream>
#include <random>
#include <sstream>
#include <thread>

#include "driver.h"
#include "support/seed.h"

namespace fairlane::model {
namespace {

constexpr std::size_t threads = 3;
constexpr std::size_t calls_per_thread = 6;
constexpr std::int64_t clock_step_ms = 2;

/// Calls of one thread that race for the same few messages. A lease is acted through only by the
/// thread that claimed it, but may have been superseded or revoked by the others.
class Caller {
 public:
  Caller(std::uint64_t seed, std::uint64_t first_name) : random_(seed), next_name_(first_name) {}

  Operation next() {
    static constexpr Verb verbs[] = {
        Verb::publish, Verb::publish,   Verb::claim,   Verb::claim,      Verb::claim,
        Verb::ack,     Verb::ack,       Verb::nack,    Verb::extend,     Verb::release,
        Verb::reject,  Verb::ack_claim, Verb::suspend, Verb::resume,     Verb::terminate,
        Verb::cancel,  Verb::inspect,   Verb::stats,   Verb::claim_batch};
    Operation operation{.verb = verbs[below(std::size(verbs))]};
    const bool settles = operation.verb == Verb::ack || operation.verb == Verb::nack ||
                         operation.verb == Verb::extend || operation.verb == Verb::release ||
                         operation.verb == Verb::reject || operation.verb == Verb::ack_claim;
    if (settles && leases_.empty()) operation.verb = Verb::claim;
    if (settles && !leases_.empty()) operation.leases = {leases_[below(leases_.size())]};
    operation.group = below(2) == 0 ? "a" : "b";
    operation.event = "e" + std::to_string(next_name_);
    operation.ms = static_cast<std::int64_t>(below(4));
    operation.count = 2;
    operation.as = next_name_;
    next_name_ += operation.count;
    return operation;
  }

  void learn(const Operation& operation, const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.leases.size(); ++i) leases_.push_back(operation.as + i);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  std::mt19937_64 random_;
  std::uint64_t next_name_;
  std::vector<std::uint64_t> leases_;
};

/// One store, and the calls that several threads make on it at once.
class Race {
 public:
  Race(const QueueRules& rules, std::uint64_t seed) : rules_(rules), driver_(open_memory(rules)) {
    for (std::size_t i = 0; i < threads; ++i) callers_.emplace_back(seed + i, 1000 * (i + 1));
    calls_.resize(threads);
  }

  void call(std::size_t thread) {
    for (std::size_t i = 0; i < calls_per_thread; ++i) {
      RecordedCall call;
      call.operation = callers_[thread].next();
      call.called_at = moment_++;
      const auto before = driver_.subject().clock->now();
      call.outcome = driver_.apply(call.operation);
      const auto after = driver_.subject().clock->now();
      call.returned_at = moment_++;
      for (auto at = before; at <= after; at += std::chrono::milliseconds(clock_step_ms)) {
        call.readings.push_back(at);
      }
      // Such a call uses no instant, so time goes on from the latest that another one used.
      if (is_timeless(call.operation.verb)) call.readings.push_back(Instant{});
      callers_[thread].learn(call.operation, call.outcome);
      calls_[thread].push_back(std::move(call));
    }
  }

  void move_clock() { driver_.apply({.verb = Verb::advance, .ms = clock_step_ms}); }

  std::vector<RecordedCall> calls() const {
    std::vector<RecordedCall> all;
    for (const auto& of_thread : calls_) all.insert(all.end(), of_thread.begin(), of_thread.end());
    return all;
  }

 private:
  /// Whether its answer depends on no instant, under these rules: a lease that ran out is as good
  /// as current while attempts are not limited.
  bool is_timeless(Verb verb) const { return verb == Verb::ack && rules_.max_attempts == 0; }

  const QueueRules rules_;
  Driver driver_;
  std::vector<Caller> callers_;
  std::vector<std::vector<RecordedCall>> calls_;
  std::atomic<std::uint64_t> moment_{0};
};

std::string describe(std::vector<RecordedCall> calls) {
  std::sort(calls.begin(), calls.end(),
            [](const auto& a, const auto& b) { return a.called_at < b.called_at; });
  std::ostringstream text;
  for (const auto& call : calls) {
    text << call.called_at << ".." << call.returned_at << " at "
         << call.readings.front().time_since_epoch().count() << " "
         << to_trace({}, {call.operation}).substr(to_trace({}, {}).size()) << "  -> "
         << call.outcome << "\n";
  }
  return text.str();
}

/// Runs all rounds on the same threads; they meet before and after each.
void race_and_check(const QueueRules& rules, bool clock_moves) {
  const auto rounds = test::count_from_environment("FAIRLANE_LINEARIZABILITY_ROUNDS", 5000);
  const auto seed = test::seed();
  std::unique_ptr<Race> race;
  std::atomic<bool> over{false};
  std::barrier meeting(threads + 1);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      for (meeting.arrive_and_wait(); !over; meeting.arrive_and_wait()) {
        race->call(i);
        meeting.arrive_and_wait();
      }
    });
  }
  for (std::uint64_t round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    race = std::make_unique<Race>(rules, seed + round * threads);
    meeting.arrive_and_wait();
    if (clock_moves) race->move_clock();
    if (clock_moves) race->move_clock();
    meeting.arrive_and_wait();
    const auto calls = race->calls();
    EXPECT_TRUE(linearize(SlowModel(rules), calls)) << "round " << round << "\n" << describe(calls);
  }
  over = true;
  meeting.arrive_and_wait();
  for (auto& worker : workers) worker.join();
}

TEST(ConcurrentHistories, AreLinearizableUnderAStandingClock) { race_and_check({}, false); }

TEST(ConcurrentHistories, AreLinearizableUnderAMovingClock) { race_and_check({}, true); }

TEST(ConcurrentHistories, AreLinearizableInReadyOrder) {
  race_and_check({.rotation = Rotation::ready_order}, true);
}

TEST(ConcurrentHistories, AreLinearizableWithAttemptsAndLimits) {
  race_and_check({.max_attempts = 1, .max_messages = 3, .max_group_messages = 2}, true);
}

TEST(ConcurrentHistories, AreLinearizableWithSuspendGroup) {
  race_and_check({.when_exhausted = WhenExhausted::suspend_group, .max_attempts = 1}, true);
}

RecordedCall publish_of(const char* event, std::uint64_t seq, std::uint64_t from,
                        std::uint64_t to) {
  return {{.verb = Verb::publish, .group = "a", .event = event}, {.seqs = {seq}}, from, to, {{}}};
}

RecordedCall claim_of(const char* event, std::uint64_t seq, std::uint64_t from, std::uint64_t to) {
  Outcome outcome;
  if (seq != 0) outcome.leases = {{seq, "a", event, 1, Instant(std::chrono::seconds(1))}};
  return {{.verb = Verb::claim, .ms = 1000, .as = from}, outcome, from, to, {{}}};
}

TEST(TheSearch, FindsTheOrderOfCallsThatOverlap) {
  const auto order = linearize(SlowModel(), {claim_of("e1", 1, 0, 3), publish_of("e1", 1, 1, 2)});
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<std::size_t>{1, 0}));
}

TEST(TheSearch, RefusesAClaimThatReturnedBeforeThePublish) {
  EXPECT_FALSE(linearize(SlowModel(), {claim_of("e1", 1, 0, 1), publish_of("e1", 1, 2, 3)}));
}

TEST(TheSearch, RefusesTwoLeasesOfOneMessage) {
  EXPECT_FALSE(linearize(
      SlowModel(), {publish_of("e1", 1, 0, 1), claim_of("e1", 1, 2, 5), claim_of("e1", 1, 3, 4)}));
}

TEST(TheSearch, RefusesAnEmptyClaimAfterAPublishThatReturned) {
  EXPECT_FALSE(linearize(SlowModel(), {publish_of("e1", 1, 0, 1), claim_of("", 0, 2, 3)}));
  EXPECT_TRUE(linearize(SlowModel(), {publish_of("e1", 1, 0, 2), claim_of("", 0, 1, 3)}));
}

TEST(TheSearch, RefusesSeqsAgainstTheOrderOfTheCalls) {
  EXPECT_FALSE(linearize(SlowModel(), {publish_of("e1", 2, 0, 1), publish_of("e2", 1, 2, 3)}));
}

}  // namespace
}  // namespace fairlane::model
