// A transport of bytes, opened from a URL, so that a program changes its engine by a setting.
#pragma once

#include <memory>
#include <string_view>

#include "fairlane/clock.h"
#include "fairlane/transport.h"

namespace fairlane {

struct OpenOptions {
  QueueOptions queue = {};
  /// The clock of transports that run on the host's; null: the default of the engine.
  std::shared_ptr<Clock> clock = nullptr;
};

/// Opens a transport.
///
/// | url        | engine                                                    |
/// | ---------- | --------------------------------------------------------- |
/// | `memory:`  | `InMemoryTransport<Bytes>`, a new and empty one each time |
///
/// Errors: `std::invalid_argument` for a URL that names no engine, or parameters that the engine
/// does not know. The text never repeats a password.
std::unique_ptr<Transport<Bytes>> open(std::string_view url, const OpenOptions& options = {});

}  // namespace fairlane
