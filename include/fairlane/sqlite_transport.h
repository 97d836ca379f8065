// The embedded, durable transport: one file, many processes of one machine.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "fairlane/clock.h"
#include "fairlane/options.h"
#include "fairlane/transport.h"

namespace fairlane {

/// What a commit survives.
enum class SqliteSynchronous {
  full,    ///< a crash of the machine too: each commit waits for the disk
  normal,  ///< a crash of the process; a crash of the machine may undo the last commits, in order
};

/// How to open a queue in a file of SQLite's.
struct SqliteOptions {
  /// Made if it is not there, readable by its owner alone.
  std::string path;
  /// Several queues may share a file.
  std::string queue_name = "default";
  /// A rule that is not named is the stored one; naming another than that is `incompatible`.
  QueueOptions queue = {};
  /// Lays the named rules over the stored ones instead; every process that has the queue open
  /// follows from its next call on.
  bool change_options = false;
  SqliteSynchronous synchronous = SqliteSynchronous::full;
  /// How long a call waits for other processes' transactions before it is `unavailable`.
  Duration busy_timeout = std::chrono::seconds(60);
  /// How soon those who wait see what another process did.
  Duration poll_interval = std::chrono::milliseconds(20);
  /// Null: the host's clock of the day, kept from stepping back by what the file saw last.
  std::shared_ptr<Clock> clock = nullptr;
};

/// Opens a queue, and makes the file and the queue if they are not there.
///
/// Threads:    as Transport. Calls of one transport take turns on one connection.
/// Atomicity:  each call is one write transaction; a batch too.
/// Durability: leases, parks, suspensions, attempts and dead letters survive processes. Leases stay
///             usable after `close` and open, and through another transport of the same queue.
/// Errors:     `incompatible` for other rules, or a file of a newer Fairlane; `corrupt` for a file
///             that is none of SQLite's or broken; `unavailable` for what the file system does;
///             after `close`, `closed`.
std::unique_ptr<Transport<Bytes>> open_sqlite(const SqliteOptions& options);

/// Makes `open` know `sqlite:PATH`, with the parameters `?queue=NAME` and `&synchronous=full` or
/// `normal`. Call it once, before; twice is fine.
void register_sqlite();

}  // namespace fairlane
