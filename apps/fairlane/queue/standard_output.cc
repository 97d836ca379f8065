#include "queue/standard_output.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace fairlane::command {

namespace {
constexpr std::size_t enough_bytes = 64 * 1024;
}  // namespace

void survive_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void StandardOutput::append(std::string_view bytes) {
  pending_ += bytes;
  if (pending_.size() >= enough_bytes) flush();
}

void StandardOutput::flush() {
  const std::string bytes = std::exchange(pending_, {});
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t wrote = write(STDOUT_FILENO, rest.data(), rest.size());
    if (wrote >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      throw OutputError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    }
  }
}

}  // namespace fairlane::command
