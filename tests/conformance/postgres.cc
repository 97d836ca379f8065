// The conformance suite over queues on a server of PostgreSQL's (FAIRLANE_TEST_POSTGRES).
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "fairlane/postgres_transport.h"
#include "fairlane/testing/conformance.h"
#include "support/postgres.h"

namespace {

/// Remembers how each transport was opened, so that it can be opened again.
class Queues {
 public:
  std::unique_ptr<fairlane::Transport<fairlane::Bytes>> open(
      const fairlane::QueueOptions& queue, std::shared_ptr<fairlane::testing::ManualClock> clock) {
    return open({.conninfo = fairlane::test::postgres_url(),
                 .queue_name = fairlane::test::fresh_name(),
                 .queue = queue,
                 .clock = std::move(clock)});
  }

  std::unique_ptr<fairlane::Transport<fairlane::Bytes>> reopen(
      std::unique_ptr<fairlane::Transport<fairlane::Bytes>> transport) {
    const auto options = opened_.at(transport.get());
    transport->close();
    transport.reset();
    return open(options);
  }

 private:
  std::unique_ptr<fairlane::Transport<fairlane::Bytes>> open(
      const fairlane::PostgresOptions& options) {
    auto transport = fairlane::open_postgres(options);
    opened_[transport.get()] = options;
    return transport;
  }

  std::map<const void*, fairlane::PostgresOptions> opened_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Queues queues;
  fairlane::testing::register_conformance_suite(
      "Postgres",
      {.open = [&](const auto& queue, auto clock) { return queues.open(queue, std::move(clock)); },
       .reopen = [&](auto transport) { return queues.reopen(std::move(transport)); },
       .guards_time = false,
       .resolution = std::chrono::nanoseconds(1)});
  return RUN_ALL_TESTS();
}
