// The conformance suite over the in-memory transport.
#include <gtest/gtest.h>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/conformance.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using Memory = fairlane::InMemoryTransport<fairlane::Bytes>;
  fairlane::testing::register_conformance_suite(
      "InMemory", {.open =
                       [](const auto& queue, auto clock) {
                         return std::make_unique<Memory>(fairlane::InMemoryOptions<fairlane::Bytes>{
                             .queue = queue, .clock = clock});
                       },
                   .reopen =
                       [](auto transport) {
                         dynamic_cast<Memory&>(*transport).reopen();
                         return transport;
                       },
                   .works_after_close = true,
                   .resolution = std::chrono::nanoseconds(1)});
  return RUN_ALL_TESTS();
}
