// What the processes do that are killed, and what they leave behind for the verdict.
#pragma once

#include <string>

namespace fairlane::torture {

/// A run's folder, shared by its processes:
///   published-NAME   a line "GROUP EVENT" for each event whose publish returned
///   handled          a line "GROUP SEQ EVENT" for each delivery, as handling begins
///   complaints       a line for each thing that must not be
///   lock-GROUP       locked by whoever handles a message of the group; a killed process lets go
struct Run {
  std::string url;
  std::string folder;
  int groups = 32;
  /// Of a claim. A handler takes a thousandth of it, so one that lives never loses its lease.
  double visibility_seconds = 3;
};

/// Publishes one event after the other, named after the publisher, until it is killed.
[[noreturn]] void publish_for_ever(const Run& run, const std::string& name);

/// Claims and handles until it is killed.
[[noreturn]] void work_for_ever(const Run& run, const std::string& name);

/// Handles what is left, waiting for the leases of the dead, until the queue is empty.
void work_until_empty(const Run& run, const std::string& name);

}  // namespace fairlane::torture
