#include "victims.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "roles.h"

namespace fairlane::torture {

Victim::Victim(const Run& run, Role role, int number) : run_(run), role_(role), number_(number) {
  begin();
}

void Victim::kill_and_begin_again() {
  kill();
  ++lives_;
  begin();
}

void Victim::kill() const {
  ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(process_, &status, 0);
  if (!WIFSIGNALED(status)) throw std::runtime_error("a process ended by itself");
}

void Victim::begin() {
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  live();
}

void Victim::live() const {
  const bool publishes = role_ == Role::publisher;
  const std::string name =
      (publishes ? "p" : "w") + std::to_string(number_) + "." + std::to_string(lives_);
  try {
    publishes ? publish_until({}, run_, name) : work_until({}, run_, name);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << std::endl;
  }
  ::_exit(1);
}

std::vector<Victim> make_victims(const Run& run, int publishers, int workers) {
  std::vector<Victim> victims;
  victims.reserve(static_cast<std::size_t>(publishers) + static_cast<std::size_t>(workers));
  for (int i = 0; i < publishers; ++i) victims.emplace_back(run, Victim::Role::publisher, i);
  for (int i = 0; i < workers; ++i) victims.emplace_back(run, Victim::Role::worker, i);
  return victims;
}

}  // namespace fairlane::torture
