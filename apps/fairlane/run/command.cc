// posix_spawn: its cost does not grow with our memory, and no thread of ours can be caught half-way
// in a fork.
#include "run/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace fairlane::run {

namespace {

bool is_executable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || access(path.c_str(), X_OK) != 0) return false;
  if (!S_ISREG(info.st_mode)) errno = EACCES;
  return S_ISREG(info.st_mode);
}

/// As execvp: a name with a slash is a path, any other is looked for along PATH.
std::string find_command(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_executable(name)) return name;
    throw CommandError(fmt::format("cannot run \"{}\": {}", name, std::strerror(errno)));
  }
  const char* const variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/bin:/usr/bin";
  bool denied = false;
  for (std::size_t begin = 0; begin <= path.size() && !name.empty();) {
    const auto end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(candidate)) return candidate;
    denied = denied || errno == EACCES;
    begin = end + 1;
  }
  throw CommandError(denied ? fmt::format("cannot run \"{}\": permission denied", name)
                            : fmt::format("command not found: \"{}\"", name));
}

/// A pipe that is closed again unless its ends are taken.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw StartError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
  }
  ~Pipe() {
    for (const int fd : ends_) {
      if (fd >= 0) close(fd);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  /// The end that stays ours, not blocking.
  int take(std::size_t end) {
    fcntl(ends_[end], F_SETFL, O_NONBLOCK);
    return std::exchange(ends_[end], -1);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// Own process group, no signal blocked, and those we ignore back at their defaults.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
      sigaddset(&signals, signal);
    }
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void add(int fd, int target) {
    if (posix_spawn_file_actions_adddup2(&actions_, fd, target) != 0) throw std::bad_alloc();
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Our environment, with what stands in it under the same names replaced.
std::vector<char*> merged(const std::vector<std::string>& environment) {
  std::vector<char*> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& own : environment) {
      replaced = replaced || text.starts_with(std::string_view(own).substr(0, own.find('=') + 1));
    }
    if (!replaced) merged.push_back(*entry);
  }
  for (const auto& own : environment) merged.push_back(const_cast<char*>(own.c_str()));
  merged.push_back(nullptr);
  return merged;
}

bool may_pass(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

}  // namespace

Command::Command(std::vector<std::string> words)
    : words_(std::move(words)), path_(find_command(words_.front())) {}

Started Command::start(const std::vector<std::string>& environment) const {
  static const Attributes attributes;
  Pipe in;
  Pipe out;
  Pipe err;
  FileActions actions;
  actions.add(in.reader(), STDIN_FILENO);
  actions.add(out.writer(), STDOUT_FILENO);
  actions.add(err.writer(), STDERR_FILENO);
  const auto variables = merged(environment);
  std::vector<char*> arguments{const_cast<char*>("sh"), const_cast<char*>(path_.c_str())};
  if (!needs_shell_) arguments = {const_cast<char*>(words_.front().c_str())};
  for (std::size_t i = 1; i < words_.size(); ++i) {
    arguments.push_back(const_cast<char*>(words_[i].c_str()));
  }
  arguments.push_back(nullptr);

  Started started;
  const char* const program = needs_shell_ ? "/bin/sh" : path_.c_str();
  const int error = posix_spawn(&started.pid, program, actions.get(), attributes.get(),
                                arguments.data(), variables.data());
  if (error == ENOEXEC && !needs_shell_.exchange(true)) return start(environment);
  if (error != 0) {
    const auto what = fmt::format("cannot start \"{}\": {}", name(), std::strerror(error));
    if (may_pass(error)) throw StartError(what);
    throw CommandError(what);
  }
  started.pidfd = static_cast<int>(syscall(SYS_pidfd_open, started.pid, 0));
  if (started.pidfd < 0) {
    kill(-started.pid, SIGKILL);
    waitpid(started.pid, nullptr, 0);
    throw StartError(fmt::format("cannot watch a process: {}", std::strerror(errno)));
  }
  started.in = in.take(1);
  started.out = out.take(0);
  started.err = err.take(0);
  return started;
}

}  // namespace fairlane::run
