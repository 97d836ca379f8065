// A running COMMAND: its pipes, its end, and ending it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fairlane/duration.h"
#include "run/command.h"

namespace fairlane::run {

using SteadyTime = std::chrono::steady_clock::time_point;

/// `from + duration`, saturating.
SteadyTime after(SteadyTime from, Duration duration);

/// Milliseconds until `deadline` as poll takes them: rounded up, at least 0, at most a minute.
int poll_timeout(SteadyTime deadline, SteadyTime now);

/// How a process ended.
struct Exit {
  int code = 0;    ///< its exit code, unless a signal ended it
  int signal = 0;  ///< the signal that ended it; 0: none
  std::string text() const;
};

/// One child process and our ends of its pipes.
///
/// Not reaped before `reap`, so its process group cannot be mistaken for another's.
/// Threads: one at a time. Lifetime: the destructor kills the group of what still runs.
class Process {
 public:
  explicit Process(const Started& started) : started_(started) {}
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pidfd() const noexcept { return started_.pidfd; }
  int in() const noexcept { return started_.in; }
  int out() const noexcept { return started_.out; }
  int err() const noexcept { return started_.err; }

  /// Writes what the pipe takes now and returns how much; closes it where nobody reads any more.
  std::size_t write_in(std::string_view bytes);

  enum class Got { bytes, nothing_now, end };
  /// Appends what one of the pipes holds now; at its end the pipe is closed.
  Got read_out(std::string& into) { return read(started_.out, into); }
  Got read_err(std::string& into) { return read(started_.err, into); }

  void close_in() { close_fd(started_.in); }
  void close_out() { close_fd(started_.out); }
  void close_err() { close_fd(started_.err); }

  /// Ends the process group in two steps: TERM now, KILL once `grace` has passed.
  void end(Duration grace);
  /// Whether it ends in that time; `reap` is still due.
  bool ends_within(std::chrono::milliseconds pause) const;
  void kill_now();
  /// When the KILL is due; nothing: no end was asked for, or it is killed already.
  std::optional<SteadyTime> kill_at() const noexcept { return kill_at_; }
  bool ending() const noexcept { return ending_; }
  /// Kills if it is due.
  void tick(SteadyTime now);

  /// After `pidfd` has become readable. Kills what is left of a group that was being ended.
  Exit reap();

 private:
  Got read(int& fd, std::string& into);
  static void close_fd(int& fd);

  Started started_;
  bool ending_ = false;
  std::optional<SteadyTime> kill_at_;
};

}  // namespace fairlane::run
