#include "programs.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace fairlane::torture {

namespace {

/// A pipe that no program inherits: {to read, to write}.
std::pair<int, int> make_pipe() {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  return {ends[0], ends[1]};
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

/// Starts a program with its standard input and output at these ends.
pid_t begin(const std::vector<std::string>& command, int input, int output) {
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("cannot fork");
  if (process > 0) return process;
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  become(command);
}

std::string read_all(int file) {
  std::string all;
  std::array<char, 4096> buffer = {};
  for (;;) {
    const ssize_t size = ::read(file, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return all;
    all.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

bool ended_well(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string output_of(const std::vector<std::string>& command) {
  const auto [out, in] = make_pipe();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t process = begin(command, nothing, in);
  ::close(nothing);
  ::close(in);
  std::string output = read_all(out);
  ::close(out);
  if (ended_well(process)) return output;
  std::string text;
  for (const auto& word : command) text += " " + word;
  throw std::runtime_error("failed:" + text);
}

Server::Server(std::string script, std::string folder)
    : script_(std::move(script)), folder_(std::move(folder)) {
  stop_if_we_die();
  start();
  url_ = output_of({script_, "url", folder_});
  url_.pop_back();
}

Server::~Server() {
  try {
    output_of({script_, "stop", folder_});
  } catch (const std::exception&) {
    // The guard tries once more.
  }
  ::close(guard_);
}

void Server::stop_if_we_die() {
  const auto [out, in] = make_pipe();
  guard_ = in;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child > 0) {
    ::close(out);
    ended_well(child);
    return;
  }
  // Nobody's child, so that whoever kills our whole family does not find it.
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::close(in);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, file);
  read_all(out);
  become({script_, "kill", folder_});
}

Proxy::Proxy(const std::string& program, std::string url, std::uint64_t seed)
    : url_(std::move(url)) {
  const std::size_t digits = url_.rfind(':') + 1;
  const std::size_t end = url_.find_first_not_of("0123456789", digits);
  const std::size_t count = (end == std::string::npos ? url_.size() : end) - digits;
  const auto [its_input, input] = make_pipe();
  const auto [output, its_output] = make_pipe();
  input_ = input;
  output_ = output;
  process_ =
      begin({program, "--target", url_.substr(digits, count), "--seed", std::to_string(seed)},
            its_input, its_output);
  ::close(its_input);
  ::close(its_output);
  url_.replace(digits, count, read_line());
}

Proxy::~Proxy() {
  if (process_ != 0) end();
}

std::string Proxy::end() {
  ::close(input_);
  std::string told = read_all(output_);
  ::close(output_);
  const bool well = ended_well(std::exchange(process_, 0));
  return well ? told : "the proxy failed\n";
}

std::string Proxy::read_line() const {
  std::string line;
  for (char next = 0; ::read(output_, &next, 1) == 1 && next != '\n';) line += next;
  if (line.empty()) throw std::runtime_error("the proxy does not start");
  return line;
}

}  // namespace fairlane::torture
