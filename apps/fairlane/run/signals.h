// Ctrl-C and TERM.
#pragma once

#include <csignal>
#include <thread>

#include "run/run_state.h"

namespace fairlane::run {

/// Blocks them in this thread and all it starts, and takes them in one of its own: the first ends
/// the run gracefully, the second at once. SIGPIPE is ignored: a command may leave its input.
///
/// Make it before any other thread. Restores what was set when destroyed.
class Signals {
 public:
  explicit Signals(RunState& state);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void watch();

  RunState& state_;
  sigset_t signals_{};
  sigset_t previous_{};
  Flag over_;
  std::thread thread_;
};

}  // namespace fairlane::run
