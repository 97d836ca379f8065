#include "roles.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fairlane/error.h"
#include "fairlane/open.h"

namespace fairlane::torture {

namespace {

using std::chrono::milliseconds;

/// How far apart the clocks may be by which a lease runs out and by which that is judged.
constexpr milliseconds margin{100};

Duration visibility(const Run& run) {
  return std::chrono::duration<double>(run.visibility_seconds);
}

/// How long a lease surely runs that was asked for, or extended, no sooner than `asked`.
Moment sure_until(const Run& run, Moment asked) {
  return asked + std::chrono::ceil<milliseconds>(visibility(run).value()) - margin;
}

/// Calls again while it is out of reach: then nothing has happened.
template <class Call>
auto insist(Call call) {
  for (;;) {
    try {
      return call();
    } catch (const TransportError& error) {
      if (error.code() != ErrorCode::unavailable) throw;
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
}

/// Nothing if it may or may not have happened.
template <class Call>
auto attempt(Call call) -> std::optional<decltype(call())> {
  try {
    return insist(std::move(call));
  } catch (const TransportError& error) {
    if (error.code() != ErrorCode::outcome_unknown) throw;
    return std::nullopt;
  }
}

/// Twice does no harm.
std::unique_ptr<Transport<Bytes>> open_at_last(const Run& run) {
  for (;;) {
    if (auto opened = attempt([&] { return open(run.url); })) return std::move(*opened);
  }
}

/// A lease, and until when it surely is one.
struct Held {
  Lease<Bytes> lease;
  Moment until;
};

std::string text_of(const Lease<Bytes>& lease) {
  return std::string(lease.group_id()) + " " + std::to_string(lease.seq()) + " " + lease.event();
}

class Worker {
 public:
  Worker(const Run& run, std::string name)
      : run_(run),
        name_(std::move(name)),
        deliveries_(run.folder + "/deliveries"),
        late_(run.folder + "/late"),
        complaints_(run.folder + "/complaints"),
        transport_(open_at_last(run)) {}

  /// False if nothing came within the timeout.
  bool work_once(Duration timeout) {
    Moment asked;
    auto claimed = attempt([&] {
      asked = moment();
      return transport_->claim_wait(name_, visibility(run_), 0, timeout);
    });
    if (!claimed || !*claimed) return false;
    std::optional<Held> held = Held{**claimed, sure_until(run_, asked)};
    while (held && handle(*held)) held = settle(*held);
    return true;
  }

  bool empty() {
    return attempt([&] { return transport_->control().stats().groups == 0; }).value_or(false);
  }
  std::string a_group() { return transport_->control().groups({.limit = 1}).at(0); }

 private:
  /// False if the lease may have run out before it began.
  bool handle(const Held& held) {
    const std::string group(held.lease.group_id());
    const Turn turn(run_, group);
    if (turn.taken_until() > moment()) complaints_.line("two hold leases of group " + group);
    turn.lock();
    if (moment() >= held.until) {
      late_.line(text_of(held.lease));
      return false;
    }
    turn.take_until(held.until);
    deliveries_.line("begin " + text_of(held.lease));
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
    turn.give_back();
    return true;
  }

  /// The next one, if it came with the answer.
  std::optional<Held> settle(Held& held) {
    const Lease<Bytes>& lease = held.lease;
    switch (random_() % 10) {
      case 0:
        judge(held, attempt([&] { return transport_->nack(lease); }));
        return std::nullopt;
      case 1:
        judge(held, attempt([&] { return transport_->nack(lease, milliseconds(5)); }));
        return std::nullopt;
      case 2:
        judge(held, attempt([&] { return transport_->release(lease); }));
        return std::nullopt;
      case 3:
        if (!extend(held)) return std::nullopt;
        [[fallthrough]];
      case 4:
        deliveries_.line("acking " + text_of(lease));
        acked(held, attempt([&] { return transport_->ack(lease); }));
        return std::nullopt;
      default:
        deliveries_.line("acking " + text_of(lease));
        return settle_and_claim(held);
    }
  }

  std::optional<Held> settle_and_claim(const Held& held) {
    Moment asked;
    auto both = attempt([&] {
      asked = moment();
      return transport_->ack_claim(held.lease, name_, visibility(run_));
    });
    if (!both) return std::nullopt;
    acked(held, both->settled);
    if (!both->lease) return std::nullopt;
    return Held{*both->lease, sure_until(run_, asked)};
  }

  /// While it lasts it stays the holder's, in the eyes of the others too.
  bool extend(Held& held) {
    const Turn turn(run_, std::string(held.lease.group_id()));
    Moment asked;
    const auto extended = attempt([&] {
      asked = moment();
      return transport_->extend(held.lease, visibility(run_));
    });
    if (!judge(held, extended)) return false;
    held.until = sure_until(run_, asked);
    turn.take_until(held.until);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
    turn.give_back();
    return true;
  }

  void acked(const Held& held, std::optional<Settled> settled) const {
    if (judge(held, settled)) deliveries_.line("acked " + text_of(held.lease));
  }

  /// True if it surely happened. Only who is late may find that another was faster.
  bool judge(const Held& held, std::optional<Settled> settled) const {
    if (settled != Settled::stale) return settled.has_value();
    if (moment() < held.until) {
      complaints_.line("a living worker lost the lease of " + text_of(held.lease));
    } else {
      late_.line(text_of(held.lease));
    }
    return false;
  }

  const Run& run_;
  const std::string name_;
  const Log deliveries_;
  const Log late_;
  const Log complaints_;
  const std::unique_ptr<Transport<Bytes>> transport_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace

void publish_until(const std::stop_token& stop, const Run& run, const std::string& name) {
  const Log attempted(run.folder + "/attempted-" + name);
  const Log published(run.folder + "/published-" + name);
  const Log maybe(run.folder + "/maybe-" + name);
  const auto transport = open_at_last(run);
  std::minstd_rand random{std::random_device{}()};
  for (std::uint64_t number = 1; !stop.stop_requested(); ++number) {
    const std::string group = "g" + std::to_string(random() % static_cast<unsigned>(run.groups));
    const std::string event = name + ":" + std::to_string(number);
    std::string line = group;
    line.append(" ").append(event);
    attempted.line(line);
    const bool stored = attempt([&] { return transport->publish(group, event); }).has_value();
    (stored ? published : maybe).line(line);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
  }
}

void work_until(const std::stop_token& stop, const Run& run, const std::string& name) {
  Worker worker(run, name);
  while (!stop.stop_requested()) worker.work_once(milliseconds(300));
}

void work_until_empty(const Run& run, const std::string& name) {
  constexpr int hands = 4;
  std::stop_source stop;
  std::atomic<Moment> progress = moment();
  std::vector<std::future<void>> working;
  working.reserve(hands);
  for (int i = 0; i < hands; ++i) {
    working.push_back(std::async(std::launch::async, [&, i] {
      Worker worker(run, name + "." + std::to_string(i));
      while (!stop.stop_requested()) {
        if (worker.work_once(milliseconds(100))) progress = moment();
      }
    }));
  }
  Worker watcher(run, name);
  while (!watcher.empty() && moment() - progress.load() < std::chrono::seconds(30)) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  stop.request_stop();
  for (auto& each : working) each.get();
  if (!watcher.empty()) throw std::runtime_error("a group is stuck: " + watcher.a_group());
}

}  // namespace fairlane::torture
