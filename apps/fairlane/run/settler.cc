#include "run/settler.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "text/json_text.h"
#include "text/terminal_text.h"

namespace fairlane::run {

namespace {

void open_for_writing(std::ofstream& file, const std::string& name) {
  if (name.empty()) return;
  file.open(name, std::ios::binary | std::ios::trunc);
  if (!file) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
  }
}

std::uint64_t messages_in(const Stats& stats) noexcept {
  return stats.ready + stats.waiting + stats.leased + stats.parked + stats.suspended;
}

}  // namespace

std::string_view to_string(Result result) noexcept {
  switch (result) {
    case Result::done:
      return "done";
    case Result::retry:
      return "retry";
    case Result::failed:
      return "failed";
    case Result::dead:
      return "dead";
    case Result::released:
      return "released";
    case Result::stale:
      return "stale";
  }
  return "?";
}

Settler::Settler(const RunOptions& options, Transport<Bytes>& transport, RunState& state)
    : options_(options), transport_(transport), state_(state) {
  open_for_writing(results_, options.results);
  open_for_writing(dead_, options.dead);
}

Settled Settler::fail(Attempt& attempt, Duration delay) {
  const bool last = options_.max_attempts != 0 && attempt.lease.attempt() >= options_.max_attempts;
  if (last && options_.when_exhausted == WhenExhausted::dead_letter) {
    // The same end as by a nack, but the reason is kept.
    attempt.result = Result::dead;
    return transport_.reject(attempt.lease, attempt.reason);
  }
  const auto settled = transport_.nack(attempt.lease, delay);
  if (last) ++state_.counters.exhausted;
  return settled;
}

Settled Settler::settle_one(Attempt& attempt) {
  switch (attempt.result) {
    case Result::retry:
      return fail(attempt, attempt.delay);
    case Result::failed:
      return fail(attempt, options_.backoff.delay(attempt.lease.attempt(), attempt.lease.seq(), 0));
    case Result::dead:
      return transport_.reject(attempt.lease, attempt.reason);
    case Result::released:
      return transport_.release(attempt.lease);
    case Result::done:
    case Result::stale:
      break;
  }
  return transport_.ack(attempt.lease);
}

std::vector<Settled> Settler::settle_all(std::span<Attempt> attempts) {
  std::vector<Settled> settled(attempts.size(), Settled::stale);
  std::vector<Lease<Bytes>> done;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].result == Result::done) {
      done.push_back(attempts[i].lease);
      places.push_back(i);
    } else {
      settled[i] = settle_one(attempts[i]);
    }
  }
  if (done.empty()) return settled;
  const auto acked = transport_.ack_batch(done);
  for (std::size_t i = 0; i < acked.size(); ++i) settled[places[i]] = acked[i];
  return settled;
}

void Settler::count(const Attempt& attempt) {
  Counters& counters = state_.counters;
  if (attempt.result == Result::done) ++counters.done;
  if (attempt.result == Result::retry || attempt.result == Result::failed) ++counters.retries;
  // A run counts them where it collects them.
  if (attempt.result == Result::dead && !options_.reads) ++counters.dead;
  if (attempt.result == Result::stale) {
    ++counters.stale;
    ++counters.exhausted;
  }
}

void Settler::settle(std::span<Attempt> attempts, std::string_view worker) {
  if (attempts.empty()) return;
  const auto settled = settle_all(attempts);
  std::size_t done = 0;
  bool may_have_died = false;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (settled[i] == Settled::stale) attempts[i].result = Result::stale;
    count(attempts[i]);
    if (attempts[i].result == Result::done) ++done;
    // What died by the clock shows itself by a stale answer.
    may_have_died =
        may_have_died || attempts[i].result == Result::dead || attempts[i].result == Result::stale;
  }
  record(attempts, worker);
  if (may_have_died && options_.reads) collect_dead_letters();
  state_.give_back(done);
  state_.counters.in_hand -= attempts.size();
  check_suspended();
}

void Settler::record(std::span<const Attempt> attempts, std::string_view worker) {
  if (!results_.is_open()) return;
  const auto now = std::chrono::steady_clock::now();
  std::string lines;
  for (const auto& attempt : attempts) {
    const auto took = std::chrono::duration<double, std::milli>(now - attempt.began).count();
    lines += fmt::format("{{\"seq\":{},", attempt.lease.seq());
    text::append_json_bytes(lines, "group", attempt.lease.group_id());
    lines += fmt::format(",\"attempt\":{},", attempt.lease.attempt());
    text::append_json_bytes(lines, "worker", worker);
    lines += fmt::format(",\"result\":\"{}\",\"took_ms\":{:.3f}", to_string(attempt.result), took);
    if (!attempt.reason.empty()) {
      lines += ",\"reason\":";
      text::append_json_string(lines, attempt.reason);
    }
    lines += "}\n";
  }
  const std::lock_guard lock(results_mutex_);
  if (!results_.good()) return;
  results_ << lines << std::flush;
  if (!results_.good()) {
    state_.end(Ending::broken, fmt::format("cannot write {}", options_.results));
  }
}

void Settler::keep(const DeadLetter<Bytes>& letter) {
  constexpr std::size_t shown_at_most = 10;
  ++state_.counters.dead;
  if (dead_.is_open() || shown_.size() == shown_at_most) return;
  const auto line =
      fmt::format("seq {}, group {}, {} attempts: {}", letter.seq, letter.group_id, letter.attempts,
                  letter.reason.empty() ? "its lease ran out" : letter.reason);
  shown_.push_back(text::terminal_text(line));
}

void Settler::take_over() {
  const Stats held = transport_.control().stats();
  state_.take_over(messages_in(held));
  if (held.suspended > 0) ++state_.counters.exhausted;
  if (!dead_.is_open()) return;
  state_.take_over(held.dead);
  collect_dead_letters();
}

std::size_t Settler::recount() {
  const Stats held = transport_.control().stats();
  const auto messages = messages_in(held);
  state_.recount(messages);
  if (held.suspended > 0) ++state_.counters.exhausted;  // An operator may suspend groups too.
  check_suspended();
  return messages;
}

void Settler::count_kept_dead_letters() {
  const auto died = transport_.control().stats().dead_lettered;
  state_.counters.dead += died - died_;
  state_.give_back(died - died_);
  died_ = died;
}

void Settler::collect_dead_letters() {
  constexpr std::size_t page = 100;
  const std::lock_guard lock(dead_mutex_);
  if (!dead_.is_open() && options_.is_durable()) return count_kept_dead_letters();
  if (dead_.is_open() && !dead_.good()) return;
  for (;;) {
    const auto letters = transport_.control().dead_letters(page);
    for (const auto& letter : letters) {
      if (dead_.is_open()) {
        dead_ << *letter.event << '\n' << std::flush;
        if (!dead_.good()) {
          state_.end(Ending::broken, fmt::format("cannot write {}", options_.dead));
          return;
        }
      }
      keep(letter);
      transport_.control().drop_dead(letter.seq);
    }
    state_.give_back(letters.size());
    if (letters.size() < page) return;
  }
}

std::vector<std::string> Settler::shown_dead_letters() const {
  const std::lock_guard lock(dead_mutex_);
  return shown_;
}

void Settler::check_suspended() {
  const Counters& counters = state_.counters;
  // Looking is dear. Whoever makes one of these false looks himself.
  if (!options_.until_empty || counters.exhausted == 0 || counters.in_hand > 0 || state_.ending())
    return;
  const auto stats = transport_.control().stats();
  if (stats.leased + stats.parked + stats.ready > 0 || stats.suspended == 0) return;
  const auto held = stats.suspended + stats.waiting;
  if (!state_.starved(held)) return;
  state_.end(Ending::suspended,
             fmt::format("{} messages stand in suspended groups, and nothing else is left{}", held,
                         state_.reading_done() ? "" : " while input waits for room"));
}

}  // namespace fairlane::run
