#include "fairlane/testing/faulty_transport.h"

#include "worker_fixture.h"

namespace fairlane {
namespace {

using testing::Fault;
using testing::FaultyTransport;
using testing::Verb;

class FaultyTransportTest : public WorkerTest {
 protected:
  FaultyTransport<std::string> faulty{queue};
  void fail(Verb verb, Fault::Kind kind) {
    faulty.set_plan([=](Verb called, std::uint64_t) {
      return Fault{called == verb ? kind : Fault::Kind::none};
    });
  }
};

TEST_F(FaultyTransportTest, BeforeTheCallNothingHappensAndTheEventIsStillTheCallers) {
  fail(Verb::publish, Fault::Kind::before);
  std::string event = "mine";
  try {
    faulty.publish("a", std::move(event));
    FAIL();
  } catch (const TransportError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_FALSE(error.may_be_stored());
  }
  EXPECT_EQ(event, "mine");
  EXPECT_EQ(state("a"), "absent");
}

TEST_F(FaultyTransportTest, AfterTheCallItHappenedAndTheOutcomeIsUnknown) {
  fail(Verb::publish, Fault::Kind::after);
  try {
    faulty.publish("a", std::string("e"));
    FAIL();
  } catch (const TransportError& error) {
    EXPECT_EQ(error.code(), ErrorCode::outcome_unknown);
    EXPECT_TRUE(error.may_be_stored());
  }
  EXPECT_EQ(state("a"), "ready");
}

TEST_F(FaultyTransportTest, EveryVerbFailsByItsPlan) {
  publish("a");
  const auto lease = queue.claim("w", 1h);
  ASSERT_TRUE(lease);
  faulty.set_plan([](Verb, std::uint64_t) { return Fault{Fault::Kind::before}; });
  std::vector<Publication<std::string>> batch{{"b", "e"}};
  EXPECT_THROW(faulty.publish("b", std::string("e")), TransportError);
  EXPECT_THROW(faulty.publish_batch(batch), TransportError);
  EXPECT_THROW(faulty.publish_wait("b", std::string("e")), TransportError);
  EXPECT_THROW(faulty.claim("w", 1s), TransportError);
  EXPECT_THROW(faulty.claim_batch(2, "w", 1s), TransportError);
  EXPECT_THROW(faulty.claim_wait("w", 1s), TransportError);
  EXPECT_THROW(static_cast<void>(faulty.ack(*lease)), TransportError);
  EXPECT_THROW(faulty.ack_batch({&*lease, 1}), TransportError);
  EXPECT_THROW(faulty.ack_claim(*lease, "w", 1s), TransportError);
  EXPECT_THROW(static_cast<void>(faulty.nack(*lease)), TransportError);
  EXPECT_THROW(static_cast<void>(faulty.extend(*lease, 1s)), TransportError);
  EXPECT_THROW(static_cast<void>(faulty.release(*lease)), TransportError);
  EXPECT_THROW(static_cast<void>(faulty.reject(*lease)), TransportError);
  EXPECT_EQ(queue.ack(*lease), Settled::done) << "nothing happened";
  EXPECT_EQ(faulty.calls(Verb::claim), 1);
}

TEST_F(FaultyTransportTest, ADelayPassesOnTheClock) {
  publish("a");
  faulty.set_plan([](Verb, std::uint64_t) { return Fault{.delay = 5s}; });
  std::jthread claimer([&] { EXPECT_TRUE(faulty.claim("w", 1s)); });
  clock->wait_for_sleepers(1);
  EXPECT_EQ(state("a"), "ready");
  clock->advance(5s);
  claimer.join();
  EXPECT_EQ(state("a"), "leased");
}

TEST_F(FaultyTransportTest, MeanwhileIsCalledBeforeTheCall) {
  publish("a");
  faulty.set_plan([&](Verb, std::uint64_t) {
    return Fault{.meanwhile = [&] { queue.control().suspend("a"); }};
  });
  EXPECT_FALSE(faulty.claim("w", 1s));
}

TEST_F(FaultyTransportTest, RandomFaultsAreTheSameForASeedAndAboutAsManyAsAsked) {
  const auto plan = testing::random_faults(7, 0.2);
  const auto same = testing::random_faults(7, 0.2);
  std::map<Fault::Kind, int> kinds;
  for (std::uint64_t call = 1; call <= 5'000; ++call) {
    const auto kind = plan(Verb::ack, call).kind;
    EXPECT_EQ(kind, same(Verb::ack, call).kind);
    ++kinds[kind];
  }
  EXPECT_NEAR(kinds[Fault::Kind::before], 500, 120);
  EXPECT_NEAR(kinds[Fault::Kind::after], 500, 120);
}

}  // namespace
}  // namespace fairlane
