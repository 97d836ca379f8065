// A worker with an empty handler, from the first publish to the last event handled, beside asio
// with a strand per key.
#include <fmt/format.h>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <unordered_map>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t threads = 2;

/// What is published: so many events for groups at random. In each group the last one is marked,
/// so that handlers need not count what they handle to know that all is done.
class Load {
 public:
  Load(std::size_t groups, std::size_t events) : keys_(groups), is_last_(events) {
    std::vector<bool> seen(groups);
    for (std::size_t i = events; i-- > 0;) {
      const auto group = keys_.pick(i);
      if (seen[group]) continue;
      seen[group] = true;
      is_last_[i] = true;
      ++lasts_;
    }
  }

  /// Calls `publish(group_id, event)` for all. An event is 1 if it is the last of its group.
  void publish_all(const auto& publish) const {
    for (std::size_t i = 0; i < is_last_.size(); ++i) {
      publish(keys_.at_random(i), is_last_[i] ? last_ : ordinary_);
    }
  }

  const Keys& keys() const { return keys_; }
  std::size_t events() const { return is_last_.size(); }
  std::ptrdiff_t lasts() const { return lasts_; }

 private:
  Keys keys_;
  std::vector<bool> is_last_;
  std::ptrdiff_t lasts_ = 0;
  Event ordinary_ = std::make_shared<int>(0);
  Event last_ = std::make_shared<int>(1);
};

Timed timed_since(SteadyClock::time_point from, const Load& load) {
  return {std::chrono::duration<double>(SteadyClock::now() - from).count(), load.events()};
}

/// Publishes while the worker runs.
Timed with_worker(const Load& load) {
  InMemoryTransport<Event> transport;
  std::latch lasts(load.lasts());
  Worker<Event> worker(transport,
                       [&lasts](const Lease<Event>& lease) {
                         if (*lease.event() != 0) lasts.count_down();
                       },
                       {.threads = threads});
  const std::jthread run([&](std::stop_token stop) { worker.run(std::move(stop)); });
  const auto from = SteadyClock::now();
  load.publish_all(
      [&](const std::string& id, const Event& event) { transport.publish(id, event); });
  lasts.wait();
  return timed_since(from, load);
}

/// Lets the worker begin when all is published.
Timed with_worker_on_backlog(const Load& load) {
  InMemoryTransport<Event> transport;
  load.publish_all(
      [&](const std::string& id, const Event& event) { transport.publish(id, event); });
  std::latch lasts(load.lasts());
  Worker<Event> worker(transport,
                       [&lasts](const Lease<Event>& lease) {
                         if (*lease.event() != 0) lasts.count_down();
                       },
                       {.threads = threads});
  const auto from = SteadyClock::now();
  const std::jthread run([&](std::stop_token stop) { worker.run(std::move(stop)); });
  lasts.wait();
  return timed_since(from, load);
}

/// The same, each event posted to the strand of its key. All strands are there before.
Timed with_strands(const Load& load) {
  asio::thread_pool pool(threads);
  std::unordered_map<std::string, asio::strand<asio::thread_pool::executor_type>> strands;
  for (const auto& id : load.keys().ids()) {
    strands.emplace(id, asio::make_strand(pool.get_executor()));
  }
  std::latch lasts(load.lasts());
  const auto from = SteadyClock::now();
  load.publish_all([&](const std::string& id, const Event& event) {
    asio::post(strands.at(id), [&lasts, event] {
      if (*event != 0) lasts.count_down();
    });
  });
  lasts.wait();
  const auto timed = timed_since(from, load);
  pool.join();
  return timed;
}

void run_at(Session& session, std::size_t groups) {
  const Load load(groups, session.settings().size<std::size_t>(1'000'000, 2'000));
  const auto rates = session.measure(
      fmt::format("worker/{}", groups),
      {timed_side("asio", [&] { return with_strands(load); }),
       timed_side("fairlane", [&] { return with_worker(load); }),
       timed_side("fairlane_backlog", [&] { return with_worker_on_backlog(load); })});
  session.add(
      {.workload = "worker",
       .what = fmt::format("end to end, {} groups, {} threads", fmt::group_digits(groups), threads),
       .ours = rates[1],
       .unit = "1/s",
       .against = "asio strands",
       .theirs = rates[0],
       .bar = Bar::at_least,
       .limit = 3});
  session.add(
      {.workload = "worker",
       .what = fmt::format("a backlog, {} groups, {} threads", fmt::group_digits(groups), threads),
       .ours = rates[2],
       .unit = "1/s"});
}

}  // namespace

void run_worker(Session& session) {
  run_at(session, session.settings().size<std::size_t>(1'000, 50));
  run_at(session, session.settings().size<std::size_t>(100'000, 500));
}

}  // namespace fairlane::bench
