// Our standard output and error: what one event printed comes out whole.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "run/run_state.h"

namespace fairlane::run {

/// What a command printed for one event. The first MiB is kept in memory, the rest in an unnamed
/// temporary file, so output of any size takes bounded memory.
/// Threads: one at a time.
class Capture {
 public:
  /// Takes everything out of `bytes`. Errors: `std::runtime_error` if the file cannot be written.
  void add(std::string& bytes);
  bool empty() const noexcept { return memory_.empty() && file_ == nullptr; }

  /// Calls `write(bytes)` for each part in order until one answers false.
  template <class Write>
  bool replay(Write write) {
    if (!write(std::string_view(memory_))) return false;
    if (file_ == nullptr) return true;
    std::rewind(file_.get());
    std::string part(64 * 1024, '\0');
    while (const auto got = std::fread(part.data(), 1, part.size(), file_.get())) {
      if (!write(std::string_view(part.data(), got))) return false;
    }
    return true;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string memory_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Threads: all members from any thread.
/// Errors: where it cannot be written, that is said once and the run ends (exit code 2).
class Output {
 public:
  explicit Output(RunState& state) : state_(state) {}

  /// Both streams of one event, with nothing of another between their parts; false if that failed.
  bool print(Capture& out, Capture& err);
  /// Lines for people, on standard error.
  void say(std::string_view text);
  /// A line on a terminal that the next output overwrites.
  void show_progress(std::string_view line);
  void clear_progress();

 private:
  bool write(int fd, std::string_view bytes);
  void erase_progress();

  RunState& state_;
  std::mutex mutex_;
  bool progress_shown_ = false;
  bool failed_ = false;
};

}  // namespace fairlane::run
