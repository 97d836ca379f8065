// Heartbeats: extends the leases of events that are still being handled.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>

#include "fairlane/transport.h"
#include "run/run_state.h"

namespace fairlane::run {

/// One thread for all leases of a run, so that nothing a worker waits for (a command, a terminal
/// that takes no output) costs an event its lease.
/// Threads: all members from any thread.
class Keeper {
 public:
  Keeper(Transport<Bytes>& transport, Duration visibility);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// From now on until `drop`. `lost`, if given, is raised if somebody else has the message.
  void hold(std::span<const Lease<Bytes>> leases, Flag* lost = nullptr);
  void drop(const Lease<Bytes>& lease);

 private:
  struct Held {
    Lease<Bytes> lease;
    SteadyTime extend_at;
    Flag* lost;
  };
  void run(std::stop_token stop);
  void extend_due(std::unique_lock<std::mutex>& lock);

  Transport<Bytes>& transport_;
  const Duration visibility_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_map<std::uint64_t, Held> held_;  // by fence
  std::jthread thread_;
};

}  // namespace fairlane::run
