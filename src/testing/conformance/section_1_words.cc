// Section 1: the words of the contract.
#include "conformance/conformance_test.h"

namespace fairlane::testing {
namespace {

ConformanceCases cases;

FAIRLANE_CASE(SeqIs1ForTheFirstPublishOfAFreshStoreAndOnlyGrows) {
  EXPECT_EQ(publish("a"), 1u);
  const auto second = publish("b");
  EXPECT_GT(second, 1u);
  EXPECT_GT(publish("a"), second);
}

FAIRLANE_CASE(ARefusedPublishConsumesNoSeq) {
  open({.max_messages = 1});
  publish("a");
  EXPECT_EQ(error_of([&] { publish("a"); }), ErrorCode::full);
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(publish("a"), 2u);
}

FAIRLANE_CASE(AGroupIdIsAnyByteStringOf0To1024Bytes) {
  const std::vector<std::string> ids = {"",
                                        std::string(1024, 'x'),
                                        std::string(1024, '\0'),
                                        std::string("a\0b", 3),
                                        "a'b",
                                        "a\"b",
                                        "a:b",
                                        "{a}",
                                        "\xff\xfe\xc0",
                                        "%s;--",
                                        "a\nb"};
  for (const auto& id : ids) publish(id, "event of " + id);
  for (const auto& id : ids) {
    const auto lease = take();
    EXPECT_EQ(lease.group_id(), id);
    EXPECT_EQ(lease.event(), "event of " + id);
    EXPECT_EQ(control().inspect(id).messages, 1u);
  }
  EXPECT_FALSE(claim());
  EXPECT_EQ(control().stats().groups, ids.size());
}

FAIRLANE_CASE(AGroupIdOf1025BytesIsAWrongArgument) {
  const std::string id(1025, 'x');
  EXPECT_THROW(publish(id), std::invalid_argument);
  EXPECT_THROW(control().suspend(id), std::invalid_argument);
  EXPECT_THROW(control().resume(id), std::invalid_argument);
  EXPECT_THROW(control().terminate(id), std::invalid_argument);
  EXPECT_THROW(control().cancel(id, "event"), std::invalid_argument);
  EXPECT_THROW(control().inspect(id), std::invalid_argument);
  EXPECT_THROW(control().peek(id, 1), std::invalid_argument);
  EXPECT_EQ(control().stats().published, 0u);
}

FAIRLANE_CASE(IdsThatAComposedKeyWouldConfuseAreDifferentGroups) {
  const std::vector<std::string> ids = {"a",  "a:",   ":a", "a:b", "a::b", std::string("a\0", 2),
                                        "a ", "A",    "1",  "01",  "1:1",  "a}",
                                        "{a", "a%3Ab"};
  for (const auto& id : ids) publish(id, id);
  EXPECT_EQ(claimed_events(), ids);
  for (const auto& id : ids) EXPECT_EQ(control().terminate(id), 1u);
}

FAIRLANE_CASE(TheRecordOfAGroupExistsExactlyAsLongAsItHoldsAMessage) {
  EXPECT_EQ(state("a"), GroupState::absent);
  publish("a");
  EXPECT_EQ(control().stats().groups, 1u);
  EXPECT_EQ(store().ack(take()), Settled::done);
  EXPECT_EQ(state("a"), GroupState::absent);
  EXPECT_EQ(control().stats().groups, 0u);
}

FAIRLANE_CASE(ALeaseTellsSeqGroupEventAttemptExpiryAndAFenceOfItsOwn) {
  const auto seq = publish("group", "payload");
  const auto first = take(5s);
  EXPECT_EQ(first.seq(), seq);
  EXPECT_EQ(first.group_id(), "group");
  EXPECT_EQ(first.event(), "payload");
  EXPECT_EQ(first.attempt(), 1u);
  EXPECT_EQ(first.expires_at(), saturating_add(now(), 5s));
  EXPECT_EQ(store().nack(first), Settled::done);
  const auto second = take(5s);
  EXPECT_EQ(second.attempt(), 2u);
  EXPECT_EQ(second.seq(), seq);
  EXPECT_NE(second.fence(), first.fence());
}

FAIRLANE_CASE(ALeaseThatExpiredAndWasNotSupersededIsStillCurrent) {
  publish("a");
  const auto lease = take(1s);
  advance(1h);
  EXPECT_EQ(store().ack(lease), Settled::done);
}

FAIRLANE_CASE(ALeaseIsInFlightAtItsExpiryAndFreeTheFirstInstantAfter) {
  publish("a", "event");
  const auto lease = take(10s);
  advance(10s);
  EXPECT_EQ(now(), lease.expires_at());
  EXPECT_EQ(state("a"), GroupState::leased);
  EXPECT_EQ(claimed_event(), "nothing");
  advance(tick());
  EXPECT_EQ(state("a"), GroupState::ready);
  EXPECT_EQ(claimed_event(), "event");
}

FAIRLANE_CASE(AParkIsInFlightAtItsEndAndFreeTheFirstInstantAfter) {
  publish("a", "event");
  EXPECT_EQ(store().nack(take(), 10s), Settled::done);
  advance(10s);
  EXPECT_EQ(state("a"), GroupState::parked);
  EXPECT_EQ(claimed_event(), "nothing");
  advance(tick());
  EXPECT_EQ(state("a"), GroupState::ready);
  EXPECT_EQ(claimed_event(), "event");
}

FAIRLANE_CASE(AnEventIsAnyBytes) {
  const std::string bytes("\0\xff'\"{}:\n", 8);
  publish("a", bytes);
  publish("b", "");
  EXPECT_EQ(take().event(), bytes);
  EXPECT_EQ(take().event(), "");
}

FAIRLANE_CASE(ALeaseKeepsItsEventAndGroupAlive) {
  publish("group", "payload");
  const auto lease = take();
  EXPECT_EQ(control().terminate("group"), 1u);
  open({});
  EXPECT_EQ(lease.event(), "payload");
  EXPECT_EQ(lease.group_id(), "group");
}

}  // namespace

const ConformanceCases& section_1_words() { return cases; }

}  // namespace fairlane::testing
