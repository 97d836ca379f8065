// The COMMAND: found once, started many times.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairlane::run {

/// COMMAND cannot be started: nobody's event is to blame.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Starting a process failed for want of something that may come back: processes, memory, files.
class StartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A started process, leader of its own process group, so that Ctrl-C reaches us alone and ending
/// it ends what it started too. Our ends of its pipes do not block.
struct Started {
  pid_t pid = -1;
  int pidfd = -1;  ///< readable once it has ended; it is not reaped before
  int in = -1;     ///< its standard input
  int out = -1;    ///< its standard output
  int err = -1;    ///< its standard error
};

/// COMMAND and its arguments.
/// Threads: `start` from any thread.
class Command {
 public:
  /// Looks COMMAND up as the shell does. Errors: `CommandError`.
  explicit Command(std::vector<std::string> words);

  /// Starts it with `environment` ("NAME=value") added to ours.
  /// Errors: `StartError`, `CommandError`.
  Started start(const std::vector<std::string>& environment) const;

  const std::string& name() const noexcept { return words_.front(); }

 private:
  std::vector<std::string> words_;
  std::string path_;
  mutable std::atomic<bool> needs_shell_ = false;  // a script without "#!", as execvp allows
};

}  // namespace fairlane::run
