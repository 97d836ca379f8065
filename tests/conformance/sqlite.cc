// The conformance suite over files of SQLite's.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "fairlane/sqlite_transport.h"
#include "fairlane/testing/conformance.h"
#include "support/temporary_folder.h"

namespace {

/// Remembers how each transport was opened, so that it can be opened again.
class Files {
 public:
  std::unique_ptr<fairlane::Transport<fairlane::Bytes>> open(
      const fairlane::QueueOptions& queue, std::shared_ptr<fairlane::testing::ManualClock> clock) {
    return open({.path = folder_.path() + "/" + std::to_string(++files_) + ".db",
                 .queue = queue,
                 .synchronous = fairlane::SqliteSynchronous::normal,
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
      const fairlane::SqliteOptions& options) {
    auto transport = fairlane::open_sqlite(options);
    opened_[transport.get()] = options;
    return transport;
  }

  fairlane::test::TemporaryFolder folder_;
  int files_ = 0;
  std::map<const void*, fairlane::SqliteOptions> opened_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Files files;
  fairlane::testing::register_conformance_suite(
      "Sqlite",
      {.open = [&](const auto& queue, auto clock) { return files.open(queue, std::move(clock)); },
       .reopen = [&](auto transport) { return files.reopen(std::move(transport)); },
       .resolution = std::chrono::nanoseconds(1)});
  return RUN_ALL_TESTS();
}
