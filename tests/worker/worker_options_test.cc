#include <cmath>

#include "worker_fixture.h"

namespace fairlane {
namespace {

class WorkerOptionsTest : public WorkerTest {
 protected:
  void expect_refused(const WorkerOptions& options, const std::string& text) {
    try {
      const Worker<std::string> worker(
          queue, [](const Message&) {}, options);
      ADD_FAILURE() << "not refused: " << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
};

TEST_F(WorkerOptionsTest, OutOfRangeAreRefusedWithTheirValue) {
  expect_refused({.threads = 0}, "threads is not at least 1: 0");
  expect_refused({.batch = 0}, "batch is not at least 1: 0");
  expect_refused({.visibility = -1ns}, "visibility is negative: -1 ns");
  expect_refused({.grace = -5ns}, "grace is negative: -5 ns");
  expect_refused({.high_ratio = -0.25}, "high_ratio is not within 0..1: -0.25");
  expect_refused({.high_ratio = 1.5}, "1.5");
  expect_refused({.high_ratio = std::nan("")}, "nan");
  expect_refused({.backoff = {.jitter = 2}}, "jitter is not within 0..1: 2");
  expect_refused({.backoff = {.jitter = std::nan("")}}, "nan");
  expect_refused({.backoff = {.min = -1ns}}, "backoff.min is negative");
  expect_refused({.backoff = {.max = -1ns}}, "backoff.max is negative");
  expect_refused({.backoff = {.min = 2ns, .max = 1ns}}, "2 ns > 1 ns");
}

TEST_F(WorkerOptionsTest, AtTheirBoundsAreTaken) {
  const Worker<std::string> worker(queue, [](const Message&) {},
                                   {.visibility = 0s,
                                    .high_ratio = 1,
                                    .backoff = {.min = 0s, .max = 0s, .jitter = 1},
                                    .grace = Duration::max(),
                                    .batch = 1});
}

TEST_F(WorkerOptionsTest, ANegativeRetryIsRefusedWithItsValue) {
  EXPECT_THROW(static_cast<void>(Outcome::retry(-1ns)), std::invalid_argument);
}

}  // namespace
}  // namespace fairlane
