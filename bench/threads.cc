// Cycles of several threads on one queue, ours and those of others.
#include <concurrentqueue/concurrentqueue.h>
#include <fmt/core.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>

#include "fairlane/in_memory_transport.h"
#include "grouped_floor.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t group_count = 1'000;

/// What one turn came to, and how many processors it really had: the time that the threads ran,
/// by the time that passed. Where others keep the machine busy, that is less than there are.
struct Turn {
  Timed timed;
  double processors;
};

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Runs `cycle(turn, event)` on `threads` threads for `span`; counts them all. Each thread
/// publishes copies of an event of its own.
template <class Cycle>
Turn run_on(int threads, std::chrono::milliseconds span, const Cycle& cycle) {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> total{0};
  std::barrier begin(threads + 1);
  std::vector<std::jthread> crew;
  for (int thread = 0; thread < threads; ++thread) {
    crew.emplace_back([&, thread] {
      const Event event = std::make_shared<int>(thread);
      const auto first = static_cast<std::uint64_t>(thread) * 65'537;
      std::uint64_t done = 0;
      begin.arrive_and_wait();
      while (!stop.load(std::memory_order_relaxed)) cycle(first + done++, event);
      total += done;
    });
  }
  begin.arrive_and_wait();
  const auto from = SteadyClock::now();
  const double used_before = processor_seconds();
  std::this_thread::sleep_for(span);
  stop = true;
  crew.clear();
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - from).count();
  return {{seconds, total}, (processor_seconds() - used_before) / seconds};
}

/// A deque behind a mutex: FIFO, no groups.
class MutexDeque {
 public:
  void push(const Event& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  bool try_pop(Event& event) {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return false;
    event = std::move(events_.front());
    events_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<Event> events_;
};

class Moodycamel {
 public:
  void push(const Event& event) { events_.enqueue(event); }
  bool try_pop(Event& event) { return events_.try_dequeue(event); }

 private:
  moodycamel::ConcurrentQueue<Event> events_;
};

using OneTbb = oneapi::tbb::concurrent_queue<Event>;

/// As many events as the grouped queues hold, and a cycle of push and pop over them.
template <class Queue>
struct Peer {
  Queue queue;

  Peer() {
    const Event event = std::make_shared<int>(1);
    for (std::size_t i = 0; i < group_count * backlog_per_group; ++i) queue.push(event);
  }

  void cycle(std::uint64_t, const Event& event) {
    queue.push(event);
    Event taken;
    while (!queue.try_pop(taken)) std::this_thread::yield();
  }
};

struct Ours {
  InMemoryTransport<Event> transport;
  const Keys& keys;

  explicit Ours(const Keys& all_keys) : keys(all_keys) {
    const Event event = std::make_shared<int>(1);
    for (std::uint64_t i = 0; i < backlog_per_group; ++i) {
      for (const auto& id : keys.ids()) transport.publish(id, event);
    }
  }

  void cycle(std::uint64_t turn, const Event& event) {
    transport.publish(keys.at_random(turn), event);
    const auto lease = transport.claim("worker-1", std::chrono::seconds(30));
    require(lease && transport.ack(*lease) == Settled::done, "a cycle has to find a message");
  }
};

struct Floor {
  GroupedFloor<Event> queue;
  const Keys& keys;

  explicit Floor(const Keys& all_keys) : keys(all_keys) {
    const Event event = std::make_shared<int>(1);
    for (std::uint64_t i = 0; i < backlog_per_group; ++i) {
      for (const auto& id : keys.ids()) queue.publish(id, event);
    }
  }

  void cycle(std::uint64_t turn, const Event& event) {
    queue.publish(keys.at_random(turn), event);
    const auto claim = queue.claim();
    queue.ack(claim);
  }
};

struct Named {
  const char* name;
  const char* title;
  bool is_floor;  ///< ordered per key as ours, and nothing but that
  std::function<Turn(int)> run;
};

/// The rows of one number of threads; the first queue is ours. `alone` holds the rates of one
/// thread.
void add_rows(Session& session, const std::vector<Named>& queues, int threads,
              const std::vector<double>& alone, const std::vector<double>& rates,
              const std::vector<double>& processors) {
  // Lock-free queues never sleep, so the most of them all is what the machine had to give.
  const double had = *std::max_element(processors.begin(), processors.end());
  const double could = std::min<double>(threads, std::thread::hardware_concurrency());
  const bool judged = had >= 0.9 * could;
  session.add({.workload = "threads",
               .what = fmt::format("{} threads, processors had{}", threads,
                                   judged ? "" : ": the machine was busy, so nothing is judged"),
               .ours = had,
               .unit = "cpus"});
  session.add({.workload = "threads",
               .what = fmt::format("{} threads, cycles of all", threads),
               .ours = rates[0],
               .unit = "1/s",
               .against = "itself, 1 thread",
               .theirs = alone[0],
               .bar = judged ? Bar::at_least : Bar::none,
               .limit = 0.9});
  for (std::size_t i = 1; i < queues.size(); ++i) {
    session.add({.workload = "threads",
                 .what = fmt::format("{} threads, cycles of all", threads),
                 .ours = rates[0],
                 .unit = "1/s",
                 .against = queues[i].title,
                 .theirs = rates[i],
                 .bar = judged && !queues[i].is_floor ? Bar::at_least : Bar::none,
                 .limit = 1});
    session.add({.workload = "threads",
                 .what = fmt::format("{} threads, share kept of 1 thread's cycles", threads),
                 .ours = rates[0] / alone[0],
                 .unit = "x",
                 .against = queues[i].title,
                 .theirs = rates[i] / alone[i]});
  }
}

}  // namespace

void run_threads(Session& session) {
  const Keys keys(group_count);
  const std::chrono::milliseconds span(session.settings().size(200, 5));
  Ours ours(keys);
  Floor floor(keys);
  Peer<MutexDeque> mutex_deque;
  Peer<Moodycamel> moodycamel;
  Peer<OneTbb> one_tbb;
  const auto named = [span](const char* name, const char* title, auto& queue) -> Named {
    return {name, title, name == std::string_view("grouped_floor"), [span, &queue](int threads) {
              return run_on(threads, span, [&queue](std::uint64_t turn, const Event& event) {
                queue.cycle(turn, event);
              });
            }};
  };
  const std::vector<Named> queues{
      named("fairlane", "fairlane", ours), named("grouped_floor", "grouped floor", floor),
      named("mutex_deque", "mutex + deque", mutex_deque),
      named("moodycamel", "moodycamel", moodycamel), named("tbb", "oneTBB", one_tbb)};
  std::vector<double> alone;
  for (const int threads : {1, 2, 4, 8, 16}) {
    std::vector<Side> sides;
    std::vector<double> processors(queues.size());  // The mean of the turns.
    for (std::size_t i = 0; i < queues.size(); ++i) {
      sides.push_back(timed_side(queues[i].name, [&, i] {
        const auto turn = queues[i].run(threads);
        processors[i] += turn.processors / session.settings().repetitions;
        return turn.timed;
      }));
    }
    const auto rates = session.measure(fmt::format("threads/{}", threads), sides);
    if (threads == 1) {
      alone = rates;
    } else {
      add_rows(session, queues, threads, alone, rates, processors);
    }
  }
}

}  // namespace fairlane::bench
