// One thread per worker sits in poll: on the child's pipes and its end, on the clock, on a stop.
#include "run/exec_mode.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "run/duration_text.h"

namespace fairlane::run {

namespace {

/// One attempt: the child, what it reads and what it prints.
class Child {
 public:
  Child(const Shop& shop, const Started& started, std::string input, const Flag& lost)
      : shop_(shop), process_(started), input_(std::move(input)), lost_(lost) {
    if (shop.options.timeout) {
      timeout_at_ = after(std::chrono::steady_clock::now(), *shop.options.timeout);
    }
  }

  /// Returns when it has ended.
  void watch() {
    feed();
    while (!step()) continue;
  }

  Capture& out() { return out_; }
  Capture& err() { return err_; }

  /// What the attempt came to.
  void judge(Attempt& attempt) const {
    if (why_ == Why::timeout) {
      attempt.result = Result::failed;
      attempt.reason = fmt::format("timed out after {}", duration_text(*shop_.options.timeout));
    } else if (exit_.signal == 0 && exit_.code == 0) {
      attempt.result = Result::done;
    } else if (exit_.signal == 0 && exit_.code == exit_retry_later) {
      attempt.result = Result::retry;
      attempt.delay = shop_.options.retry_delay;
      attempt.reason = exit_.text();
    } else if (exit_.signal == 0 && exit_.code == exit_give_up) {
      attempt.result = Result::dead;
      attempt.reason = exit_.text();
    } else {
      attempt.result = why_ == Why::stopping ? Result::released : Result::failed;
      attempt.reason = exit_.text();
    }
  }

 private:
  enum class Why { none, timeout, stopping, lost };

  bool step() {
    std::array<pollfd, 7> fds{{{process_.pidfd(), POLLIN, 0},
                               {process_.out(), POLLIN, 0},
                               {process_.err(), POLLIN, 0},
                               {process_.in(), POLLOUT, 0},
                               {stop_at_ ? -1 : shop_.state.ending_flag().fd(), POLLIN, 0},
                               {killed_ ? -1 : shop_.state.abort_flag().fd(), POLLIN, 0},
                               {lost_seen_ ? -1 : lost_.fd(), POLLIN, 0}}};
    poll(fds.data(), fds.size(), next_timeout());
    const auto now = std::chrono::steady_clock::now();
    if (fds[3].revents != 0) feed();
    if (fds[1].revents != 0) collect();
    if (fds[2].revents != 0) collect();
    if (fds[4].revents != 0) stop_at_ = after(now, shop_.options.grace);
    if (fds[5].revents != 0) {
      killed_ = true;
      end(Why::stopping, {});
      process_.kill_now();
    }
    if (fds[6].revents != 0) {
      lost_seen_ = true;
      end(Why::lost, shop_.options.grace);
    }
    if (timeout_at_ && now >= *timeout_at_) end(Why::timeout, shop_.options.grace);
    if (stop_at_ && now >= *stop_at_) end(Why::stopping, last_grace());
    process_.tick(now);
    if (fds[0].revents == 0) return false;
    while (collect()) continue;  // what it printed before it ended
    exit_ = process_.reap();
    return true;
  }

  /// After the grace of a stop a handler still gets a moment to leave on TERM.
  Duration last_grace() const {
    return std::min<Duration>(shop_.options.grace, std::chrono::seconds(1));
  }

  int next_timeout() const {
    auto next = SteadyTime::max();
    if (!process_.ending()) {
      next = std::min({next, timeout_at_.value_or(next), stop_at_.value_or(next)});
    }
    next = std::min(next, process_.kill_at().value_or(next));
    return next == SteadyTime::max() ? -1 : poll_timeout(next, std::chrono::steady_clock::now());
  }

  void end(Why why, Duration grace) {
    if (process_.ending()) return;
    why_ = why;
    process_.end(grace);
  }

  void feed() {
    written_ += process_.write_in(std::string_view(input_).substr(written_));
    if (written_ == input_.size()) process_.close_in();
  }

  /// Takes what both pipes hold now, a bounded share at a time; false if that was nothing.
  bool collect() {
    bool got = false;
    if (process_.out() >= 0) got = process_.read_out(part_) == Process::Got::bytes;
    out_.add(part_);
    if (process_.err() >= 0) got = process_.read_err(part_) == Process::Got::bytes || got;
    err_.add(part_);
    return got;
  }

  const Shop& shop_;
  Process process_;
  const std::string input_;
  const Flag& lost_;
  std::size_t written_ = 0;
  std::string part_;
  Capture out_;
  Capture err_;
  std::optional<SteadyTime> timeout_at_;
  std::optional<SteadyTime> stop_at_;
  bool killed_ = false;
  bool lost_seen_ = false;
  Why why_ = Why::none;
  Exit exit_;
};

std::vector<std::string> environment_of(const Lease<Bytes>& lease, const std::string& worker) {
  return {"FAIRLANE_GROUP=" + std::string(lease.group_id()),
          "FAIRLANE_SEQ=" + std::to_string(lease.seq()),
          "FAIRLANE_ATTEMPT=" + std::to_string(lease.attempt()), "FAIRLANE_WORKER=" + worker};
}

void handle(const Shop& shop, const std::string& worker, Attempt& attempt, Flag& lost) {
  if (attempt.lease.group_id().find('\0') != std::string_view::npos) {
    attempt.result = Result::failed;
    attempt.reason = "its group holds a NUL, which no environment variable can";
    return;
  }
  try {
    const auto started = shop.command.start(environment_of(attempt.lease, worker));
    Child child(shop, started, attempt.lease.event() + '\n', lost);
    child.watch();
    child.judge(attempt);
    shop.output.print(child.out(), child.err());
  } catch (const StartError& error) {
    attempt.result = Result::failed;
    attempt.reason = error.what();
  } catch (const std::exception& error) {
    attempt.result = Result::released;
    attempt.reason = error.what();
    shop.state.end(Ending::broken, error.what());
  }
}

}  // namespace

void exec_worker(const Shop& shop, std::string worker) {
  Claims claims(shop.options, shop.transport, shop.state, std::move(worker));
  Flag lost;
  while (auto lease = claims.wait()) {
    Attempt attempt{*lease, std::chrono::steady_clock::now()};
    if (!shop.state.ending()) {
      lost.lower();
      shop.keeper.hold({&*lease, 1}, &lost);
      handle(shop, claims.worker(), attempt, lost);
      shop.keeper.drop(*lease);
    }
    shop.settler.settle({&attempt, 1}, claims.worker());
  }
}

}  // namespace fairlane::run
