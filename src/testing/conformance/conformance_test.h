// What the cases of the suite have in common: a store, its clock, and short words for its verbs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/testing/conformance.h"

namespace fairlane::testing {

using namespace std::chrono_literals;

/// Base of every case. A case begins with an empty store with default options; `open` replaces it.
class ConformanceTest : public ::testing::Test {
 public:
  void use(const ConformanceHarness& harness) { harness_ = harness; }

 protected:
  using Leased = std::optional<Lease<Bytes>>;

  void SetUp() override { open({}); }

  void open(const QueueOptions& options);
  void reopen() { store_ = harness_.reopen(std::move(store_)); }

  Transport<Bytes>& store() { return *store_; }
  Control<Bytes>& control() { return store_->control(); }
  const ConformanceHarness& harness() const { return harness_; }
  ManualClock& clock() { return *clock_; }
  Duration tick() const { return harness_.resolution; }
  Instant now() const { return clock_->now(); }
  void advance(Duration by) { clock_->advance(by); }

  std::uint64_t publish(std::string_view group, std::string event = "event",
                        std::int32_t priority = 0) {
    return store_->publish(group, std::move(event), priority);
  }
  Leased claim(Duration visibility = 10s, std::int32_t min_priority = 0) {
    return store_->claim("worker", visibility, min_priority);
  }
  /// Claims where something has to be claimable.
  Lease<Bytes> take(Duration visibility = 10s, std::int32_t min_priority = 0);
  /// Claims and says which event it was; "nothing" if none.
  std::string claimed_event(Duration visibility = 10s, std::int32_t min_priority = 0);
  /// Claims until nothing is claimable.
  std::vector<std::string> claimed_events();
  /// Claims and acks until nothing is claimable.
  std::vector<std::string> drain();
  GroupState state(std::string_view group) { return control().inspect(group).state; }
  std::vector<std::string> peeked(std::string_view group);

  /// I4: every message published is somewhere.
  void expect_that_counters_add_up();

 private:
  ConformanceHarness harness_;
  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<Transport<Bytes>> store_;
};

/// What a case needs of the harness.
enum class Needs { nothing, reopen, guarded_time };

/// One registered case.
struct ConformanceCase {
  const char* name;
  const char* file;
  int line;
  ConformanceTest* (*make)();
  Needs needs;
};
using ConformanceCases = std::vector<ConformanceCase>;

/// The cases of one section of the contract.
const ConformanceCases& section_1_words();
const ConformanceCases& section_2_invariants();
const ConformanceCases& section_3_verbs();
const ConformanceCases& section_4_rotation();
const ConformanceCases& section_5_attempts();
const ConformanceCases& section_6_control();
const ConformanceCases& section_7_waiting();
const ConformanceCases& section_7_batches_and_limits();
const ConformanceCases& section_8_time();
const ConformanceCases& section_9_errors();

/// Runs `call` and gives the code of the TransportError that it raises; fails if it raises none.
template <class Call>
ErrorCode error_of(Call&& call) {
  try {
    call();
  } catch (const TransportError& error) {
    EXPECT_FALSE(error.may_be_stored()) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "no error was raised";
  return ErrorCode::corrupt;
}

}  // namespace fairlane::testing

// Both want a `ConformanceCases cases;` before them in the file.
#define FAIRLANE_CASE_THAT(needs, test_name)                                         \
  class test_name final : public ConformanceTest {                                   \
    void TestBody() override;                                                        \
  };                                                                                 \
  const bool test_name##_is_a_case =                                                 \
      (cases.push_back({#test_name, __FILE__, __LINE__,                              \
                        []() -> ConformanceTest* { return new test_name; }, needs}), \
       true);                                                                        \
  void test_name::TestBody()
#define FAIRLANE_CASE(test_name) FAIRLANE_CASE_THAT(Needs::nothing, test_name)
#define FAIRLANE_REOPENING_CASE(test_name) FAIRLANE_CASE_THAT(Needs::reopen, test_name)
#define FAIRLANE_GUARDED_TIME_CASE(test_name) FAIRLANE_CASE_THAT(Needs::guarded_time, test_name)
