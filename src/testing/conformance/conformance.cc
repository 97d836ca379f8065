// Registration, and the words that the cases share.
#include "fairlane/testing/conformance.h"

#include <stdexcept>
#include <utility>

#include "conformance/conformance_test.h"

namespace fairlane::testing {

void ConformanceTest::open(const QueueOptions& options) {
  store_.reset();
  clock_ = std::make_shared<ManualClock>(Instant(1h));
  store_ = harness_.open(options, clock_);
}

Lease<Bytes> ConformanceTest::take(Duration visibility, std::int32_t min_priority) {
  auto lease = claim(visibility, min_priority);
  if (!lease) throw std::runtime_error("nothing was claimable");
  return *std::move(lease);
}

std::string ConformanceTest::claimed_event(Duration visibility, std::int32_t min_priority) {
  const auto lease = claim(visibility, min_priority);
  return lease ? lease->event() : "nothing";
}

std::vector<std::string> ConformanceTest::claimed_events() {
  std::vector<std::string> events;
  while (const auto lease = claim()) events.push_back(lease->event());
  return events;
}

std::vector<std::string> ConformanceTest::drain() {
  std::vector<std::string> events;
  while (const auto lease = claim()) {
    events.push_back(lease->event());
    EXPECT_EQ(store_->ack(*lease), Settled::done);
  }
  return events;
}

std::vector<std::string> ConformanceTest::peeked(std::string_view group) {
  std::vector<std::string> events;
  for (const auto& message : control().peek(group, 1'000'000)) events.push_back(*message.event);
  return events;
}

void ConformanceTest::expect_that_counters_add_up() {
  const auto s = control().stats();
  const auto queued = s.leased + s.parked + s.suspended + s.ready + s.waiting;
  EXPECT_EQ(s.published, queued + s.acked + s.dead + s.dropped + s.redriven);
}

void register_conformance_suite(const std::string& name, const ConformanceHarness& harness) {
  if (!harness.open) throw std::invalid_argument("a conformance harness without `open`");
  const std::pair<const char*, const ConformanceCases*> sections[] = {
      {"Section1Words", &section_1_words()},
      {"Section2Invariants", &section_2_invariants()},
      {"Section3Verbs", &section_3_verbs()},
      {"Section4Rotation", &section_4_rotation()},
      {"Section5Attempts", &section_5_attempts()},
      {"Section6Control", &section_6_control()},
      {"Section7Waiting", &section_7_waiting()},
      {"Section7BatchesAndLimits", &section_7_batches_and_limits()},
      {"Section8Time", &section_8_time()},
      {"Section9Errors", &section_9_errors()},
  };
  for (const auto& [section, cases] : sections) {
    for (const auto& one : *cases) {
      if (one.needs == Needs::reopen && !harness.reopen) continue;
      if (one.needs == Needs::guarded_time && !harness.guards_time) continue;
      ::testing::RegisterTest((name + "/" + section).c_str(), one.name, nullptr, nullptr, one.file,
                              one.line, [harness, make = one.make]() -> ConformanceTest* {
                                auto* test = make();
                                test->use(harness);
                                return test;
                              });
    }
  }
}

}  // namespace fairlane::testing
