// A transport of bytes, opened from a URL, so that a program changes its engine by a setting.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fairlane/clock.h"
#include "fairlane/transport.h"

namespace fairlane {

struct OpenOptions {
  QueueOptions queue = {};
  /// Lays the rules that are named over those of a queue that exists, instead of refusing others.
  bool change_options = false;
  /// The clock of transports that run on the host's; null: the default of the engine. Transports
  /// that run on a server's take only one that a test moves by hand.
  std::shared_ptr<Clock> clock = nullptr;
};

/// Opens the transports of one scheme, given what stands behind its colon.
using Engine =
    std::function<std::unique_ptr<Transport<Bytes>>(std::string_view rest, const OpenOptions&)>;

/// Makes `open` know a scheme; the last registration counts. Engines that come in libraries of
/// their own have a function that does it (`register_sqlite`). Threads: any.
void register_engine(std::string_view scheme, Engine engine);

/// The URL as people may see it, in a message or a log: without names and passwords.
std::string shown_url(std::string_view url);

/// Opens a transport. All engines but the first are known once they are registered.
///
/// - `memory:`: `InMemoryTransport<Bytes>`, a new and empty one each time
/// - `sqlite:PATH`: `open_sqlite`; `?queue=NAME`, `&synchronous=full|normal`
/// - `postgresql://..`: `open_postgres`; `?queue=NAME`, and what libpq takes
/// - `redis://..`: `open_redis`; `?queue=NAME`
/// - `sharded:?NUMBER=URL&..`: `open_sharded`; `&batches=split`
///
/// Errors: `std::invalid_argument` for a URL that names no engine, or parameters that the engine
/// does not know. The text never repeats a password.
std::unique_ptr<Transport<Bytes>> open(std::string_view url, const OpenOptions& options = {});

}  // namespace fairlane
