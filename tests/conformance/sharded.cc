// The conformance suite over one shard, in memory and in files of SQLite's. Over several the
// rotation and the limits are each shard's own: see tests/sharded.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "fairlane/in_memory_transport.h"
#include "fairlane/sharded_transport.h"
#include "fairlane/testing/conformance.h"
#ifdef FAIRLANE_HAS_SQLITE
#include "fairlane/sqlite_transport.h"
#include "support/temporary_folder.h"
#endif

namespace {

using Opened = std::unique_ptr<fairlane::Transport<fairlane::Bytes>>;

Opened around(Opened store) {
  fairlane::ShardedOptions options;
  options.shards.push_back({.number = 0, .transport = std::move(store)});
  return fairlane::open_sharded(std::move(options));
}

#ifdef FAIRLANE_HAS_SQLITE
/// Remembers how each transport was opened, so that it can be opened again.
class Files {
 public:
  Opened open(const fairlane::QueueOptions& queue,
              std::shared_ptr<fairlane::testing::ManualClock> clock) {
    return open({.path = folder_.path() + "/" + std::to_string(++files_) + ".db",
                 .queue = queue,
                 .synchronous = fairlane::SqliteSynchronous::normal,
                 .clock = std::move(clock)});
  }

  Opened reopen(Opened transport) {
    const auto options = opened_.at(transport.get());
    transport->close();
    transport.reset();
    return open(options);
  }

 private:
  Opened open(const fairlane::SqliteOptions& options) {
    auto transport = around(fairlane::open_sqlite(options));
    opened_[transport.get()] = options;
    return transport;
  }

  fairlane::test::TemporaryFolder folder_;
  int files_ = 0;
  std::map<const void*, fairlane::SqliteOptions> opened_;
};
#endif

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using Memory = fairlane::InMemoryTransport<fairlane::Bytes>;
  fairlane::testing::register_conformance_suite(
      "ShardInMemory",
      {.open =
           [](const auto& queue, auto clock) {
             return around(std::make_unique<Memory>(
                 fairlane::InMemoryOptions<fairlane::Bytes>{.queue = queue, .clock = clock}));
           },
       .works_after_close = true,
       .resolution = std::chrono::nanoseconds(1)});
#ifdef FAIRLANE_HAS_SQLITE
  Files files;
  fairlane::testing::register_conformance_suite(
      "ShardOnSqlite",
      {.open = [&](const auto& queue, auto clock) { return files.open(queue, std::move(clock)); },
       .reopen = [&](auto transport) { return files.reopen(std::move(transport)); },
       .resolution = std::chrono::nanoseconds(1)});
#endif
  return RUN_ALL_TESTS();
}
