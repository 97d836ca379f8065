#include "run/output.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace fairlane::run {

void Capture::add(std::string& bytes) {
  constexpr std::size_t in_memory = 1024 * 1024;
  if (file_ == nullptr && memory_.size() + bytes.size() <= in_memory) {
    memory_ += bytes;
  } else if (!bytes.empty()) {
    if (file_ == nullptr) file_.reset(std::tmpfile());
    if (file_ == nullptr ||
        std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
      throw std::runtime_error(
          fmt::format("cannot keep the command's output: {}", std::strerror(errno)));
    }
  }
  bytes.clear();
}

bool Output::write(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      if (!failed_) {
        failed_ = true;
        state_.end(Ending::broken,
                   fmt::format("cannot write to standard {}: {}",
                               fd == STDOUT_FILENO ? "output" : "error", std::strerror(errno)));
      }
      return false;
    }
  }
  return true;
}

void Output::erase_progress() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  write(STDERR_FILENO, "\r\x1b[K");
}

bool Output::print(Capture& out, Capture& err) {
  if (out.empty() && err.empty()) return true;
  const std::lock_guard lock(mutex_);
  erase_progress();
  return out.replay([&](std::string_view part) { return write(STDOUT_FILENO, part); }) &&
         err.replay([&](std::string_view part) { return write(STDERR_FILENO, part); });
}

void Output::say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_progress();
  write(STDERR_FILENO, fmt::format("fairlane: {}\n", text));
}

void Output::show_progress(std::string_view line) {
  const std::lock_guard lock(mutex_);
  write(STDERR_FILENO, fmt::format("\r{}\x1b[K", line));
  progress_shown_ = true;
}

void Output::clear_progress() {
  const std::lock_guard lock(mutex_);
  erase_progress();
}

}  // namespace fairlane::run
