#include "run/run_state.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fairlane::run {

Flag::Flag() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}
Flag::~Flag() { close(fd_); }
void Flag::raise() { eventfd_write(fd_, 1); }
void Flag::lower() {
  eventfd_t value = 0;
  eventfd_read(fd_, &value);
}

void RunState::end(Ending ending, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ == Ending::none) {
      ending_ = ending;
      message_ = std::move(message);
    }
  }
  stop_.request_stop();
  ending_flag_.raise();
  changed_.notify_all();
}

void RunState::abort() {
  aborted_ = true;
  abort_flag_.raise();
}

std::pair<Ending, std::string> RunState::verdict() const {
  const std::lock_guard lock(mutex_);
  return {ending_, message_};
}

void RunState::take_over(std::size_t messages) {
  counters.read += messages;
  const std::lock_guard lock(mutex_);
  outstanding_ += messages;
}

std::size_t RunState::take_room(std::size_t wanted, std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  waits_for_room_ = outstanding_ >= limit_;
  changed_.wait_for(lock, longest, [&] { return outstanding_ < limit_ || ending(); });
  waits_for_room_ = false;
  if (ending() || outstanding_ >= limit_) return 0;
  const auto taken = std::min(wanted, limit_ - outstanding_);
  outstanding_ += taken;
  return taken;
}

void RunState::give_back(std::size_t messages) {
  if (messages == 0) return;
  bool notify = false;
  {
    const std::lock_guard lock(mutex_);
    outstanding_ -= std::min(outstanding_, messages);
    notify = waits_for_room_ || (input_done_ && outstanding_ == 0);
  }
  if (notify) changed_.notify_all();
}

void RunState::recount(std::size_t messages) {
  const std::lock_guard lock(mutex_);
  outstanding_ = messages;
}

bool RunState::wait_until_drained(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest,
                           [&] { return (input_done_ && outstanding_ == 0) || ending(); });
}

void RunState::input_done() {
  const std::lock_guard lock(mutex_);
  input_done_ = true;
}

bool RunState::reading_done() const {
  const std::lock_guard lock(mutex_);
  return input_done_;
}

bool RunState::starved(std::size_t held) const {
  const std::lock_guard lock(mutex_);
  return outstanding_ == held && (input_done_ || held >= limit_);
}

std::size_t RunState::outstanding() const {
  const std::lock_guard lock(mutex_);
  return outstanding_;
}

void RunState::published(std::uint64_t seq, SteadyTime at) {
  const std::lock_guard lock(waits_mutex_);
  const auto [entry, is_new] = waiting_.try_emplace(seq, at);
  if (is_new) return;
  waits_.add({});
  waiting_.erase(entry);
}

void RunState::claimed(std::uint64_t seq, SteadyTime at) {
  const std::lock_guard lock(waits_mutex_);
  const auto [entry, is_new] = waiting_.try_emplace(seq, at);
  if (is_new) return;
  waits_.add(at - entry->second);
  waiting_.erase(entry);
}

std::pair<double, double> RunState::wait_p50_p99_seconds() const {
  const std::lock_guard lock(waits_mutex_);
  const auto seconds = [&](double quantile) {
    return std::chrono::duration<double>(waits_.quantile(quantile)).count();
  };
  return {seconds(0.5), seconds(0.99)};
}

}  // namespace fairlane::run
