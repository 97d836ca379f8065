// Section 9: errors.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

template <class Call>
std::string text_of_wrong_argument(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error was raised";
}

FAIRLANE_CASE(WrongArgumentsSayTheOffendingValue) {
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "1025",
                      text_of_wrong_argument([&] { publish(std::string(1025, 'x')); }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "-7", text_of_wrong_argument([&] { claim(-7ns); }));
}

FAIRLANE_CASE(ExpectedOutcomesAreValues) {
  EXPECT_FALSE(claim());
  publish("a");
  const auto lease = take();
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_EQ(store().ack(lease), Settled::stale);
}

FAIRLANE_CASE(ArgumentsAreJudgedFirstThenSizeThenRoom) {
  open({.max_messages = 1, .max_event_bytes = 3});
  publish("a", "123");
  EXPECT_THROW(publish(std::string(1025, 'x'), "1234"), std::invalid_argument);
  EXPECT_EQ(error_of([&] { publish("a", "1234"); }), ErrorCode::too_large);
  EXPECT_EQ(error_of([&] { publish("a", "123"); }), ErrorCode::full);
  const auto lease = take();
  EXPECT_EQ(store().ack(lease), Settled::done);
  EXPECT_THROW(static_cast<void>(store().nack(lease, -1ns)), std::invalid_argument);
}

FAIRLANE_CASE(NoEventIsLostByAnError) {
  open({.max_messages = 1, .max_event_bytes = 100});
  publish("a");
  const Bytes small(100, 'x');
  const Bytes large(101, 'x');
  Bytes event = small;
  EXPECT_EQ(error_of([&] { store().publish("a", std::move(event)); }), ErrorCode::full);
  EXPECT_EQ(event, small);
  take();
  EXPECT_EQ(error_of([&] { control().cancel("a", std::move(event)); }), ErrorCode::full);
  EXPECT_EQ(event, small);
  event = large;
  EXPECT_EQ(error_of([&] { store().publish("a", std::move(event)); }), ErrorCode::too_large);
  EXPECT_EQ(event, large);
  EXPECT_THROW(store().publish(std::string(1025, 'x'), std::move(event)), std::invalid_argument);
  EXPECT_EQ(event, large);
}

FAIRLANE_CASE(ADeadLetterThatIsNotThereIsNotFound) {
  EXPECT_EQ(error_of([&] { control().redrive(1); }), ErrorCode::not_found);
  EXPECT_EQ(error_of([&] { control().drop_dead(0); }), ErrorCode::not_found);
  publish("a");
  EXPECT_EQ(error_of([&] { control().redrive(1); }), ErrorCode::not_found);
}

}  // namespace

const ConformanceCases& section_9_errors() { return cases; }

}  // namespace fairlane::testing
