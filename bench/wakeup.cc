// How long from a publish to the handler of a worker that waits, beside a bare condition variable.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "fairlane/in_memory_transport.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Times `trips` there and back of two threads that wake each other; an item is one way.
template <class Ping, class Pong>
Timed ping_pong(std::uint64_t trips, const Ping& ping, const Pong& pong) {
  std::jthread other([&] {
    for (std::uint64_t i = 0; i < trips; ++i) pong(i);
  });
  const auto from = SteadyClock::now();
  for (std::uint64_t i = 0; i < trips; ++i) ping(i);
  return {std::chrono::duration<double>(SteadyClock::now() - from).count(), 2 * trips};
}

/// A flag, a mutex and a condition variable.
class Signal {
 public:
  void raise() {
    {
      const std::lock_guard lock(mutex_);
      raised_ = true;
    }
    condition_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return raised_; });
    raised_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool raised_ = false;
};

Timed with_condition_variables(std::uint64_t trips) {
  Signal there;
  Signal back;
  return ping_pong(
      trips,
      [&](std::uint64_t) {
        there.raise();
        back.wait();
      },
      [&](std::uint64_t) {
        there.wait();
        back.raise();
      });
}

/// Waits for a message, calls `handler`, acks.
template <class Handler>
void serve(Transport<Event>& transport, const Handler& handler) {
  const auto lease =
      transport.claim_wait("worker-1", std::chrono::seconds(30), 0, std::chrono::seconds(30));
  require(lease.has_value(), "a waiter has to be woken");
  handler();
  require(transport.ack(*lease) == Settled::done, "nobody else has the message");
}

/// The reply is published by the handler, so an ack is on no way there. Two groups by turns, lest
/// a message has to wait for the ack of the one before.
Timed with_claim_wait(std::uint64_t trips) {
  const Event event = std::make_shared<int>(1);
  const std::string groups[] = {"even", "odd"};
  InMemoryTransport<Event> there;
  InMemoryTransport<Event> back;
  there.publish(groups[0], event);
  return ping_pong(
      trips,
      [&](std::uint64_t trip) {
        serve(back, [&] {
          if (trip + 1 < trips) there.publish(groups[(trip + 1) % 2], event);
        });
      },
      [&](std::uint64_t trip) { serve(there, [&] { back.publish(groups[trip % 2], event); }); });
}

}  // namespace

void run_wakeup(Session& session) {
  const auto trips = session.settings().size<std::uint64_t>(20'000, 20);
  const auto rates = session.measure(
      "wakeup",
      {timed_side("condition_variable", [trips] { return with_condition_variables(trips); }),
       timed_side("claim_wait", [trips] { return with_claim_wait(trips); })});
  session.add({.workload = "wakeup",
               .what = "publish to handler",
               .ours = nanoseconds(rates[1]) / 1e3,
               .unit = "us",
               .against = "condition variable",
               .theirs = nanoseconds(rates[0]) / 1e3,
               .bar = Bar::at_most,
               .limit = 1.5});
}

}  // namespace fairlane::bench
