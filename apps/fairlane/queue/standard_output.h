// Our standard output, where what cannot be written is not lost in silence.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlane::command {

/// Standard output cannot be written: the disk is full, or nobody reads it any more.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on writing to a pipe that nobody reads is an `OutputError`, not the end of the process:
/// for subcommands that have something to put right then.
void survive_closed_pipes();

/// Threads: one at a time. Errors: `OutputError`.
class StandardOutput {
 public:
  /// Takes them; they are written when enough has come together.
  void append(std::string_view bytes);
  /// Writes what was taken.
  void flush();

 private:
  std::string pending_;
};

}  // namespace fairlane::command
