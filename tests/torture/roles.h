// What the processes do that are killed.
#pragma once

#include <stop_token>
#include <string>

#include "records.h"

namespace fairlane::torture {

/// Publishes one event after the other, named after the publisher, until it is killed or stopped.
/// What surely was not stored is published again; what may have been is left at that.
void publish_until(const std::stop_token& stop, const Run& run, const std::string& name);

/// Claims and handles until it is killed or stopped.
void work_until(const std::stop_token& stop, const Run& run, const std::string& name);

/// Handles what is left, waiting for the leases of the dead, until the queue is empty; throws if
/// nothing came for half a minute and it is not.
void work_until_empty(const Run& run, const std::string& name);

}  // namespace fairlane::torture
