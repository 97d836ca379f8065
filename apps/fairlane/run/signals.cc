#include "run/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "run/options.h"

namespace fairlane::run {

namespace {

// How long the run has after a second signal, if even then something holds it up.
constexpr int last_moment_ms = 2000;

}  // namespace

Signals::Signals(RunState& state) : state_(state) {
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  thread_ = std::thread([this] { watch(); });
}

Signals::~Signals() {
  over_.raise();
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void Signals::watch() {
  const int fd = signalfd(-1, &signals_, SFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  int taken = 0;
  for (;;) {
    std::array<pollfd, 2> fds{{{fd, POLLIN, 0}, {over_.fd(), POLLIN, 0}}};
    const int ready = poll(fds.data(), fds.size(), taken >= 2 ? last_moment_ms : -1);
    if (fds[1].revents != 0) break;
    if (ready == 0) _exit(exit_interrupted);
    signalfd_siginfo info{};
    if (fds[0].revents == 0 || read(fd, &info, sizeof info) != sizeof info) continue;
    ++taken;
    state_.end(Ending::interrupted);
    if (taken >= 2) state_.abort();
  }
  close(fd);
}

}  // namespace fairlane::run
