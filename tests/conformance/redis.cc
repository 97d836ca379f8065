// The conformance suite over queues on a Redis server.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "fairlane/redis_transport.h"
#include "fairlane/testing/conformance.h"
#include "support/redis_queues.h"

namespace {

/// Remembers how each transport was opened, so that it can be opened again.
class Queues {
 public:
  std::unique_ptr<fairlane::Transport<fairlane::Bytes>> open(
      const fairlane::QueueOptions& queue, std::shared_ptr<fairlane::testing::ManualClock> clock) {
    auto options = fairlane::test::redis_options();
    options.queue = queue;
    options.clock = std::move(clock);
    return open(options);
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
      const fairlane::RedisOptions& options) {
    auto transport = fairlane::open_redis(options);
    opened_[transport.get()] = options;
    return transport;
  }

  std::map<const void*, fairlane::RedisOptions> opened_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Queues queues;
  fairlane::testing::register_conformance_suite(
      "Redis",
      {.open = [&](const auto& queue, auto clock) { return queues.open(queue, std::move(clock)); },
       .reopen = [&](auto transport) { return queues.reopen(std::move(transport)); },
       .guards_time = false,
       .resolution = std::chrono::microseconds(1)});
  return RUN_ALL_TESTS();
}
