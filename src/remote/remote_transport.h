// The transport over a server, whichever it is.
#pragma once

#include <memory>

#include "fairlane/transport.h"
#include "remote/backend.h"

namespace fairlane::remote {

/// Judges arguments, asks the backend, counts, and wakes who waits.
std::unique_ptr<Transport<Bytes>> make_transport(std::unique_ptr<Backend> backend);

}  // namespace fairlane::remote
