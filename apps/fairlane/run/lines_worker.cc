#include "run/lines_worker.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "run/duration_text.h"

namespace fairlane::run {

namespace {

constexpr int deaths_at_most = 5;
constexpr std::size_t errors_at_most = std::size_t{1} << 20;

}  // namespace

LinesWorker::LinesWorker(const Shop& shop, std::string worker)
    : shop_(shop),
      claims_(shop.options, shop.transport, shop.state, std::move(worker)),
      scout_(claims_) {}

void LinesWorker::run() {
  while (true) {
    if (shop_.state.ending()) {
      if (auto lease = scout_.recall()) accept({*std::move(lease)});
      if (with_process_.empty()) break;
    } else {
      fill();
    }
    watch();
    settle();
  }
  if (!process_) return;
  process_->close_in();  // It may leave by itself; else it has its grace.
  if (!stop_at_) stop_at_ = after(std::chrono::steady_clock::now(), shop_.options.grace);
  while (process_) watch();
}

void LinesWorker::fill() {
  if (process_ && process_->ending()) return;
  if (scout_.is_out()) {
    auto lease = scout_.take();
    if (!lease) return;
    accept({*std::move(lease)});
  }
  const std::size_t window = shop_.options.window;
  if (with_process_.size() < window) accept(claims_.take(window - with_process_.size()));
  if (with_process_.size() < window && !shop_.state.ending()) scout_.send();
}

void LinesWorker::accept(std::vector<Lease<Bytes>> leases) {
  if (leases.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  // Nothing new once the run ends: such an event goes back unhandled.
  const bool ready = !shop_.state.ending() && start();
  const auto what = shop_.options.is_durable() ? EventIs::bytes : EventIs::json;
  for (auto& lease : leases) {
    if (ready) {
      append_event_line(to_send_, lease, what);
      with_process_.emplace(lease.seq(), Attempt{lease, now});
    } else {
      settled_.push_back(Attempt{lease, now});
    }
  }
  if (ready) {
    shop_.keeper.hold(leases);
    feed();
    check_pipes();
  }
}

bool LinesWorker::start() {
  if (process_) return true;
  try {
    process_.emplace(shop_.command.start({"FAIRLANE_WORKER=" + claims_.worker()}));
  } catch (const std::exception& error) {
    if (++deaths_ >= deaths_at_most) shop_.state.end(Ending::broken, error.what());
    return false;
  }
  to_send_.clear();
  sent_ = 0;
  answers_.clear();
  answered_ = timed_out_ = stopping_ = killed_ = false;
  why_.clear();
  return true;
}

void LinesWorker::feed() {
  sent_ += process_->write_in(std::string_view(to_send_).substr(sent_));
  if (sent_ == to_send_.size()) {
    to_send_.clear();
    sent_ = 0;
  }
}

void LinesWorker::check_pipes() {
  if (!process_ || process_->ending() || with_process_.empty()) return;
  const bool out_closed = process_->out() < 0;
  if (!out_closed && process_->in() >= 0) return;
  // A process that dies closes its pipes just before; then its end is the better reason.
  if (process_->ends_within(std::chrono::milliseconds(100))) return;
  end(out_closed ? "closed its standard output" : "closed its standard input", shop_.options.grace);
}

void LinesWorker::watch() {
  const bool sending = process_ && sent_ < to_send_.size();
  // Watched with nothing to send too: one that closes it will answer no more.
  const int in = process_ && !with_process_.empty() ? process_->in() : -1;
  const int out = process_ ? process_->out() : -1;
  const int err = process_ ? process_->err() : -1;
  std::array<pollfd, 7> fds{{{process_ ? process_->pidfd() : -1, POLLIN, 0},
                             {out, POLLIN, 0},
                             {err, POLLIN, 0},
                             {in, static_cast<short>(sending ? POLLOUT : 0), 0},
                             {stop_at_ ? -1 : shop_.state.ending_flag().fd(), POLLIN, 0},
                             {killed_ ? -1 : shop_.state.abort_flag().fd(), POLLIN, 0},
                             {scout_.is_out() ? scout_.fd() : -1, POLLIN, 0}}};
  poll(fds.data(), fds.size(), next_timeout());
  const auto now = std::chrono::steady_clock::now();
  if (fds[4].revents != 0) stop_at_ = after(now, shop_.options.grace);
  if (!process_) return;
  if (fds[1].revents != 0) collect_answers();
  if (fds[2].revents != 0) collect_errors();
  if (fds[3].revents != 0) feed();
  if ((fds[3].revents & POLLERR) != 0) process_->close_in();
  check_pipes();
  if (fds[5].revents != 0) {
    killed_ = stopping_ = true;
    process_->kill_now();
  }
  check_clock(now);
  if (fds[0].revents != 0) process_ended();
}

int LinesWorker::next_timeout() const {
  if (!process_) return -1;
  auto next = process_->kill_at().value_or(SteadyTime::max());
  if (!process_->ending()) {
    next = std::min(next, stop_at_.value_or(next));
    if (shop_.options.timeout) {
      for (const auto& [seq, attempt] : with_process_) {
        next = std::min(next, after(attempt.began, *shop_.options.timeout));
      }
    }
  }
  return next == SteadyTime::max() ? -1 : poll_timeout(next, std::chrono::steady_clock::now());
}

bool LinesWorker::is_late(const Attempt& attempt, SteadyTime now) const {
  return shop_.options.timeout && now >= after(attempt.began, *shop_.options.timeout);
}

void LinesWorker::check_clock(SteadyTime now) {
  const bool late = std::any_of(with_process_.begin(), with_process_.end(),
                                [&](const auto& each) { return is_late(each.second, now); });
  if (late && !process_->ending()) {
    timed_out_ = true;
    end(fmt::format("timed out after {}", duration_text(*shop_.options.timeout)),
        shop_.options.grace);
  }
  if (stop_at_ && now >= *stop_at_ && !process_->ending()) {
    stopping_ = true;
    // A process without its standard input has had its time; the last moment is for a clean end.
    end("the run ends", std::min<Duration>(shop_.options.grace, std::chrono::seconds(1)));
  }
  process_->tick(now);
}

void LinesWorker::end(std::string reason, Duration grace) {
  if (process_->ending()) return;
  why_ = std::move(reason);
  process_->end(grace);
}

void LinesWorker::collect_answers() {
  process_->read_out(answers_);
  take_answers();
}

void LinesWorker::take_answers() {
  std::size_t begin = 0;
  try {
    for (std::size_t newline = 0; (newline = answers_.find('\n', begin)) != std::string::npos;
         begin = newline + 1) {
      take_answer(std::string_view(answers_).substr(begin, newline - begin));
    }
    answers_.erase(0, begin);
    if (answers_.size() > max_answer_bytes) throw Nonsense("answered without an end of line");
  } catch (const Nonsense& nonsense) {
    answers_.clear();
    end(nonsense.what(), shop_.options.grace);
  }
}

void LinesWorker::take_answer(std::string_view line) {
  // What is said while it is being ended counts if it is an answer; the rest is past caring.
  Answer answer = parse_answer(line);
  const auto found = with_process_.find(answer.seq);
  if (found == with_process_.end()) {
    throw Nonsense(fmt::format("answered for seq {}, which it does not have", answer.seq));
  }
  Attempt attempt = std::move(found->second);
  with_process_.erase(found);
  attempt.result = answer.result;
  attempt.delay = answer.delay.value_or(shop_.options.retry_delay);
  attempt.reason = std::move(answer.reason);
  settled_.push_back(std::move(attempt));
  answered_ = true;
  deaths_ = 0;
}

void LinesWorker::collect_errors() {
  process_->read_err(errors_);
  print_errors(false);
}

void LinesWorker::print_errors(bool all) {
  const auto newline = errors_.rfind('\n');
  std::size_t ready = newline == std::string::npos ? 0 : newline + 1;
  if (all || errors_.size() - ready > errors_at_most) ready = errors_.size();
  if (ready == 0) return;
  Capture none;
  Capture lines;
  std::string part = errors_.substr(0, ready);
  lines.add(part);
  errors_.erase(0, ready);
  shop_.output.print(none, lines);
}

void LinesWorker::process_ended() {
  while (process_->out() >= 0 && process_->read_out(answers_) == Process::Got::bytes) {
    take_answers();
  }
  while (process_->err() >= 0 && process_->read_err(errors_) == Process::Got::bytes) {
    print_errors(false);
  }
  print_errors(true);
  const bool by_us = timed_out_ || stopping_ || killed_;
  const bool fault = !by_us && (!with_process_.empty() || !why_.empty());
  const auto exit = process_->reap();
  process_.reset();
  if (fault && !answered_) ++deaths_;
  const bool broken = deaths_ >= deaths_at_most;
  const auto reason = why_.empty() ? exit.text() : why_;
  if (broken) {
    shop_.state.end(Ending::broken,
                    fmt::format("COMMAND ended {} times in a row without an answer: {}",
                                deaths_at_most, reason));
  }
  settle_rest(reason, broken);
}

void LinesWorker::settle_rest(const std::string& reason, bool broken) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [seq, attempt] : with_process_) {
    const auto max = shop_.options.max_attempts;
    const bool last = max != 0 && attempt.lease.attempt() >= max;
    bool counts = !broken && !stopping_ && !killed_;
    if (timed_out_) counts = counts && is_late(attempt, now);
    // Not the event may be to blame but the command, which the next deaths will show.
    if (!timed_out_ && !answered_ && last) counts = false;
    attempt.result = counts ? Result::failed : Result::released;
    attempt.reason = reason;
    settled_.push_back(std::move(attempt));
  }
  with_process_.clear();
  to_send_.clear();
  sent_ = 0;
}

void LinesWorker::settle() {
  if (settled_.empty()) return;
  for (const auto& attempt : settled_) shop_.keeper.drop(attempt.lease);
  shop_.settler.settle(settled_, claims_.worker());
  settled_.clear();
}

}  // namespace fairlane::run
