// The transport on a Redis server, for many machines.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "fairlane/clock.h"
#include "fairlane/options.h"
#include "fairlane/transport.h"

namespace fairlane {

/// How to open a queue on a Redis server. Connections are not encrypted.
struct RedisOptions {
  std::string host = "127.0.0.1";
  int port = 6379;
  /// Of a socket in the file system, instead of host and port.
  std::string path = {};
  /// Empty: Redis's default user.
  std::string user = {};
  /// Empty: none is asked for. No text of an error holds it.
  std::string password = {};
  int database = 0;
  /// Several queues may share a database; any bytes.
  std::string queue_name = "default";
  /// A rule that is not named is the stored one; naming another than that is `incompatible`.
  QueueOptions queue = {};
  /// Lays the named rules over the stored ones instead; every process that has the queue open
  /// follows from its next call on.
  bool change_options = false;
  /// Calls of many threads share a connection; more of them serve large events.
  std::size_t connections = 1;
  Duration connect_timeout = std::chrono::seconds(5);
  /// A server that is silent for so long has lost the call.
  Duration answer_timeout = std::chrono::seconds(30);
  /// Null: the server's. A test's, moved by hand; all who open the queue have to share it.
  std::shared_ptr<Clock> clock = nullptr;
};

/// Opens a queue, and makes it if it is not there.
///
/// Threads:    as Transport. Calls of several threads are under way at once. One more connection
/// and
///             a thread serve those who wait, from the first wait on.
/// Atomicity:  each call is one script, at one instant of the server's clock; a batch too.
/// Durability: the server's settings decide (docs/transports/redis.md). Leases stay usable after
///             `close` and open, and through another transport of the same queue.
/// Errors:     `incompatible` for other rules, a queue of a newer Fairlane, or a server that drops
///             keys when its memory is full; `unavailable` if nothing was done; `outcome_unknown`
///             if the connection broke before the answer; `corrupt` for keys that are not as they
///             were left; after `close`, `closed`.
std::unique_ptr<Transport<Bytes>> open_redis(const RedisOptions& options);

/// Makes `open` know `redis://[[USER]:PASSWORD@][HOST][:PORT][/DATABASE]` and
/// `redis+unix://[[USER]:PASSWORD@]/PATH`, with the parameters `queue=NAME`, `connections=N`,
/// `connect_timeout_ms=N`, `answer_timeout_ms=N`, and with a PATH `database=N`. Call it once,
/// before; twice is fine.
void register_redis();

}  // namespace fairlane
