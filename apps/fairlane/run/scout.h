// Waits for one event on behalf of a worker that has to watch its process meanwhile.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "run/claims.h"
#include "run/run_state.h"

namespace fairlane::run {

/// Threads: one worker's; between `send` and `take` the claims are the scout's alone.
class Scout {
 public:
  explicit Scout(Claims& claims);
  ~Scout();
  Scout(const Scout&) = delete;
  Scout& operator=(const Scout&) = delete;

  /// Lets it wait for an event. It comes back with one, or with nothing once the run ends.
  void send();
  bool is_out() const noexcept { return out_; }

  /// Readable once it has come back.
  int fd() const noexcept { return back_.fd(); }

  /// What it found; it is back then. Nothing: it is still out, or the run ends.
  std::optional<Lease<Bytes>> take();

  /// Waits for it to come back, which it does once the run ends.
  std::optional<Lease<Bytes>> recall();

 private:
  void run();

  Claims& claims_;
  Flag back_;
  bool out_ = false;  // The worker's view.

  std::mutex mutex_;
  std::condition_variable changed_;
  bool sent_ = false;
  bool over_ = false;
  bool is_back_ = false;
  std::optional<Lease<Bytes>> found_;
  std::thread thread_;
};

}  // namespace fairlane::run
