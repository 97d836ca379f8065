// The contract as a test suite that any transport can run. Needs GoogleTest.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fairlane/testing/manual_clock.h"
#include "fairlane/transport.h"

namespace fairlane::testing {

/// How the suite opens the transport that it tests, and what it may expect beyond the contract.
struct ConformanceHarness {
  using OpenedTransport = std::unique_ptr<Transport<Bytes>>;

  /// Opens a new and empty store with these options; all its time is the clock's.
  std::function<OpenedTransport(const QueueOptions& options, std::shared_ptr<ManualClock> clock)>
      open;

  /// Closes the store of this transport and opens the same one again; may return the same object.
  /// Null: the cases that close and open again are not registered.
  std::function<OpenedTransport(OpenedTransport transport)> reopen = nullptr;

  /// What the verbs do after `close` (section 3): go on working, as in memory, or raise `closed`,
  /// as on every durable transport.
  bool works_after_close = false;

  /// Whether a clock that steps back changes nothing. On a server's clock it may prolong leases by
  /// the step (section 8); then the case that steps back is not registered.
  bool guards_time = true;

  /// The finest step of time that the transport keeps, one microsecond at the most.
  Duration resolution = std::chrono::microseconds(1);
};

/// Registers every case of the suite with GoogleTest, one suite for each section of the contract,
/// named `name` + "/" + section. Call it in `main` between `InitGoogleTest` and `RUN_ALL_TESTS`:
///
///     int main(int argc, char** argv) {
///       ::testing::InitGoogleTest(&argc, argv);
///       fairlane::testing::register_conformance_suite("MyTransport", {.open = open_mine});
///       return RUN_ALL_TESTS();
///     }
///
/// Errors: `std::invalid_argument` for a harness that cannot open.
void register_conformance_suite(const std::string& name, const ConformanceHarness& harness);

}  // namespace fairlane::testing
