// Thin over the system's calls.
#include "run/process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace fairlane::run {

SteadyTime after(SteadyTime from, Duration duration) {
  const auto left = SteadyTime::max() - from;
  return duration.value() >= left ? SteadyTime::max() : from + duration.value();
}

int poll_timeout(SteadyTime deadline, SteadyTime now) {
  if (deadline <= now) return 0;
  const auto left = std::min<std::chrono::nanoseconds>(deadline - now, std::chrono::minutes(1));
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

std::string Exit::text() const {
  if (signal == 0) return fmt::format("exit {}", code);
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("killed by SIG{}", name)
                         : fmt::format("killed by signal {}", signal);
}

Process::~Process() {
  if (started_.pid > 0) {
    kill(-started_.pid, SIGKILL);
    while (waitpid(started_.pid, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  for (int* const fd : {&started_.in, &started_.out, &started_.err, &started_.pidfd}) close_fd(*fd);
}

void Process::close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

std::size_t Process::write_in(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size() && started_.in >= 0) {
    const ssize_t wrote = write(started_.in, bytes.data() + written, bytes.size() - written);
    if (wrote > 0) {
      written += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      close_in();  // EPIPE: a command need not read all of its input
    }
  }
  return written;
}

Process::Got Process::read(int& fd, std::string& into) {
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return Got::nothing_now;
    if (got <= 0) {
      close_fd(fd);
      return Got::end;
    }
    into.append(buffer.data(), static_cast<std::size_t>(got));
    return Got::bytes;
  }
}

bool Process::ends_within(std::chrono::milliseconds pause) const {
  pollfd ended{started_.pidfd, POLLIN, 0};
  return poll(&ended, 1, static_cast<int>(pause.count())) > 0;
}

void Process::end(Duration grace) {
  if (ending_) return;
  ending_ = true;
  kill(-started_.pid, SIGTERM);
  kill(-started_.pid, SIGCONT);  // a stopped one takes no TERM
  kill_at_ = after(std::chrono::steady_clock::now(), grace);
}

void Process::kill_now() {
  ending_ = true;
  kill_at_.reset();
  kill(-started_.pid, SIGKILL);
}

void Process::tick(SteadyTime now) {
  if (kill_at_ && now >= *kill_at_) kill_now();
}

Exit Process::reap() {
  if (ending_) kill(-started_.pid, SIGKILL);
  int status = 0;
  while (waitpid(started_.pid, &status, 0) < 0 && errno == EINTR) continue;
  started_.pid = -1;
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace fairlane::run
