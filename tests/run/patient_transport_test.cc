#include "run/patient_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "fairlane/error.h"
#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/faulty_transport.h"

namespace fairlane::run {
namespace {

using testing::Fault;
using testing::FaultyTransport;
using testing::Verb;
using namespace std::chrono_literals;

class PatientTransportTest : public ::testing::Test {
 protected:
  /// The first `times` calls of `verb` go wrong in this way.
  void fail(Verb verb, Fault::Kind kind, std::uint64_t times) {
    faulty_->set_plan([=](Verb called, std::uint64_t call) {
      return Fault{called == verb && call <= times ? kind : Fault::Kind::none};
    });
  }
  void publish() { patient_->publish("group", Bytes("event"), 0); }

  InMemoryTransport<Bytes> store_;
  FaultyTransport<Bytes>* faulty_ = new FaultyTransport<Bytes>(store_);
  std::stop_source ending_;
  std::vector<std::string> said_;
  const std::unique_ptr<PatientTransport> patient_ = std::make_unique<PatientTransport>(
      std::unique_ptr<Transport<Bytes>>(faulty_), ending_.get_token(),
      [this](const std::string& line) { said_.push_back(line); });
};

TEST_F(PatientTransportTest, ACallIsMadeAgainUntilTheServerIsBack) {
  fail(Verb::publish, Fault::Kind::before, 3);
  publish();
  EXPECT_EQ(faulty_->calls(Verb::publish), 4u);
  EXPECT_EQ(store_.control().stats().published, 1u);
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_EQ(said_[0].rfind("the transport is away", 0), 0u);
  EXPECT_EQ(said_[1], "the transport is back");
}

TEST_F(PatientTransportTest, APublishWhoseOutcomeIsUnknownIsNotMadeAgain) {
  fail(Verb::publish, Fault::Kind::after, 1);
  try {
    publish();
    ADD_FAILURE() << "nothing was raised";
  } catch (const TransportError& error) {
    EXPECT_EQ(error.code(), ErrorCode::outcome_unknown);
  }
  EXPECT_EQ(store_.control().stats().published, 1u);
}

TEST_F(PatientTransportTest, AnAckThatHappenedIsStaleTheSecondTime) {
  publish();
  const auto lease = patient_->claim("worker", 1h, 0);
  ASSERT_TRUE(lease);
  fail(Verb::ack, Fault::Kind::after, 1);
  EXPECT_EQ(patient_->ack(*lease), Settled::stale);
  EXPECT_EQ(store_.control().stats().acked, 1u);
}

TEST_F(PatientTransportTest, AClaimWhoseLeaseGotLostIsMadeAgain) {
  publish();
  patient_->publish("other", Bytes("second"), 0);
  fail(Verb::claim, Fault::Kind::after, 1);
  const auto lease = patient_->claim("worker", 1h, 0);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "second");
}

TEST_F(PatientTransportTest, TheEndOfTheRunEndsItsPatience) {
  fail(Verb::claim, Fault::Kind::before, 1'000'000);
  std::jthread ending([this] {
    while (faulty_->calls(Verb::claim) < 2) std::this_thread::yield();
    ending_.request_stop();
  });
  EXPECT_THROW(patient_->claim("worker", 1h, 0), TransportError);
}

TEST_F(PatientTransportTest, OtherErrorsGoThrough) {
  store_.close();
  EXPECT_THROW(patient_->control().redrive(7), TransportError);
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace fairlane::run
