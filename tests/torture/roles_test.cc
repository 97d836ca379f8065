// The roles over transports that fail make no complaint; over those that lie they do.
#include "roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "fairlane/in_memory_transport.h"
#include "fairlane/open.h"
#include "fairlane/testing/faulty_transport.h"
#include "pass_through.h"
#include "support/seed.h"
#include "support/temporary_folder.h"
#include "verdict.h"

namespace fairlane::torture {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using testing::Fault;
using testing::FaultPlan;
using testing::FaultyTransport;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::Verb;

/// Two publishers and three workers for a while over one store; whoever opens `queue:` gets a
/// transport of his own that does to it what `wrap` says.
class RolesTest : public ::testing::Test {
 protected:
  using Wrap = std::function<std::unique_ptr<Transport<Bytes>>(Transport<Bytes>& store)>;

  Verdict judge_over(const Wrap& wrap) {
    InMemoryTransport<Bytes> store;
    register_engine("queue", [&](std::string_view, const OpenOptions&) { return wrap(store); });
    const torture::Run run{
        .url = "queue:", .folder = folder_.path(), .groups = 8, .visibility_seconds = 0.4};
    {
      std::vector<std::jthread> threads;
      for (const std::string number : {"1", "2"}) {
        threads.emplace_back([&run, number](const std::stop_token& stop) {
          publish_until(stop, run, "p" + number);
        });
      }
      for (const std::string number : {"1", "2", "3"}) {
        threads.emplace_back(
            [&run, number](const std::stop_token& stop) { work_until(stop, run, "w" + number); });
      }
      std::this_thread::sleep_for(milliseconds(1500));
    }
    register_engine("queue", [&](std::string_view, const OpenOptions&) {
      return std::make_unique<FaultyTransport<Bytes>>(store);
    });
    work_until_empty(run, "last");
    return judge(folder_.path());
  }
  Verdict judge_over(const FaultPlan& plan) {
    return judge_over([&](Transport<Bytes>& store) {
      return std::make_unique<FaultyTransport<Bytes>>(store, plan);
    });
  }
  template <class Lie>
  std::vector<std::string> complaints_about() {
    return judge_over([](Transport<Bytes>& store) { return std::make_unique<Lie>(store); })
        .complaints;
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(RolesTest, WhereNothingFailsNothingIsUnknown) {
  const Verdict verdict = judge_over(FaultPlan());
  EXPECT_THAT(verdict.complaints, IsEmpty());
  EXPECT_GT(verdict.published, 100U);
  EXPECT_GT(verdict.handled, verdict.published);
  EXPECT_EQ(verdict.maybe, 0U);
}

TEST_F(RolesTest, CallsThatFailAndCallsWhoseOutcomeIsUnknownAreNoFault) {
  const Verdict verdict = judge_over(testing::random_faults(test::seed(), 0.1));
  EXPECT_THAT(verdict.complaints, IsEmpty());
  EXPECT_GT(verdict.published, 50U);
  EXPECT_GT(verdict.maybe, 0U);
}

TEST_F(RolesTest, ALeaseThatRanOutBeforeItCameIsLateAndNoFault) {
  const Verdict verdict = judge_over([](Verb verb, std::uint64_t call) {
    const bool slow = (verb == Verb::ack || verb == Verb::ack_claim) && call % 20 == 19;
    return Fault{.delay = slow ? milliseconds(500) : milliseconds(0)};
  });
  EXPECT_THAT(verdict.complaints, IsEmpty());
  EXPECT_GT(verdict.late, 0U);
}

struct LosesPublishes : PassThrough {
  using PassThrough::PassThrough;
  std::uint64_t publish(std::string_view group, Bytes&& event, std::int32_t priority) override {
    return now() ? 1 : store().publish(group, std::move(event), priority);
  }
};

struct RefusesWhatItStored : PassThrough {
  using PassThrough::PassThrough;
  std::uint64_t publish(std::string_view group, Bytes&& event, std::int32_t priority) override {
    const auto seq = store().publish(group, std::move(event), priority);
    if (now()) throw TransportError(ErrorCode::unavailable, "a lie");
    return seq;
  }
};

struct StoresElsewhere : PassThrough {
  using PassThrough::PassThrough;
  std::uint64_t publish(std::string_view group, Bytes&& event, std::int32_t priority) override {
    return store().publish(now() ? "elsewhere" : group, std::move(event), priority);
  }
};

struct AcksWithoutRemoving : PassThrough {
  using PassThrough::PassThrough;
  Settled ack(const Lease<Bytes>& lease) override {
    return now() ? Settled::done : store().ack(lease);
  }
};

struct DropsOnNack : PassThrough {
  using PassThrough::PassThrough;
  Settled nack(const Lease<Bytes>& lease, Duration delay) override {
    return now() ? store().ack(lease) : store().nack(lease, delay);
  }
};

struct RefusesWhatItAcked : PassThrough {
  using PassThrough::PassThrough;
  Settled ack(const Lease<Bytes>& lease) override {
    const auto settled = store().ack(lease);
    if (now()) throw TransportError(ErrorCode::unavailable, "a lie");
    return settled;
  }
};

struct ShortensLeases : PassThrough {
  using PassThrough::PassThrough;
  std::optional<Lease<Bytes>> claim_wait(std::string_view worker, Duration visibility,
                                         std::int32_t floor, Duration timeout,
                                         std::stop_token stop) override {
    return store().claim_wait(worker, now() ? Duration() : visibility, floor, timeout,
                              std::move(stop));
  }
};

TEST_F(RolesTest, APublishThatWasNotStoredIsFound) {
  EXPECT_THAT(complaints_about<LosesPublishes>(), Contains(StartsWith("lost: ")));
}

TEST_F(RolesTest, APublishThatWasStoredAndRefusedIsFound) {
  EXPECT_THAT(complaints_about<RefusesWhatItStored>(), Contains(StartsWith("stored twice: ")));
}

TEST_F(RolesTest, APublishThatWentToAnotherGroupIsFound) {
  EXPECT_THAT(complaints_about<StoresElsewhere>(), Contains(StartsWith("nobody published it: ")));
}

TEST_F(RolesTest, AnAckThatDidNothingIsFound) {
  EXPECT_THAT(complaints_about<AcksWithoutRemoving>(),
              Contains(StartsWith("came back after its ack: ")));
}

TEST_F(RolesTest, ANackThatDropsIsFound) {
  EXPECT_THAT(complaints_about<DropsOnNack>(), Contains(StartsWith("gone without an ack: ")));
}

TEST_F(RolesTest, AnAckThatWasDoneAndRefusedIsFound) {
  EXPECT_THAT(complaints_about<RefusesWhatItAcked>(),
              Contains(StartsWith("a living worker lost the lease of ")));
}

TEST_F(RolesTest, TwoLeasesAtOnceAreFound) {
  EXPECT_THAT(complaints_about<ShortensLeases>(),
              Contains(StartsWith("two hold leases of group ")));
}

}  // namespace
}  // namespace fairlane::torture
