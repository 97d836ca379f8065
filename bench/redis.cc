// The transport on Redis, beside scripts of bare list and sorted-set commands on the same server.
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <stop_token>
#include <thread>

#include "crew.h"
#include "fairlane/redis_transport.h"
#include "redis_benchmark.h"
#include "redis_floor.h"
#include "support/redis_queues.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

constexpr std::size_t groups = 1'000;
constexpr std::chrono::hours visibility(1);

/// Runs `step(thread)` so often on each of so many threads.
template <class Step>
Timed on_threads(std::size_t threads, std::uint64_t times, Step step) {
  const double seconds = run_crew(threads, [&](std::size_t thread) {
    for (std::uint64_t n = 0; n < times; ++n) step(thread);
  });
  return {seconds, threads * times};
}

/// Ours and floors, with the same groups waiting.
struct Pair {
  Pair(std::size_t connections, std::size_t floors_wanted, std::uint64_t backlog) {
    auto options = test::redis_options();
    options.connections = connections;
    ours = open_redis(options);
    for (std::size_t i = 0; i < floors_wanted; ++i) {
      floors.push_back(
          std::make_unique<RedisFloor>(options.host, options.port, "floor:" + options.queue_name));
    }
    constexpr std::uint64_t at_once = 100;
    for (std::uint64_t done = 0; done < backlog; done += at_once) fill(done, at_once);
  }

  void fill(std::uint64_t from, std::uint64_t count) {
    std::vector<Publication<Bytes>> batch;
    std::vector<std::string_view> words;
    for (std::uint64_t i = from; i < from + count; ++i) {
      batch.push_back({keys.ids()[i % groups], "event", 0});
      words.emplace_back(keys.ids()[i % groups]);
      words.emplace_back("event");
    }
    ours->publish_batch(batch);
    floors.front()->publish_all(words);
    floors.front()->take();
  }

  const Keys keys{groups};
  std::unique_ptr<Transport<Bytes>> ours;
  std::vector<std::unique_ptr<RedisFloor>> floors;
};

std::string_view group_in(const RedisFloor::Reply& reply) {
  require(reply->elements == 2, "work");
  return {reply->element[0]->str, reply->element[0]->len};
}

/// `generator`: the same by Redis's own program.
void compare(Session& session, const std::string& what, Side ours, Side floor,
             std::optional<Side> generator = std::nullopt) {
  std::vector<Side> sides{std::move(floor), std::move(ours)};
  if (generator) sides.push_back(*std::move(generator));
  const auto rates = session.measure("redis/" + what, sides);
  const auto add = [&](const char* against, double theirs) {
    session.add({.workload = "redis",
                 .what = what,
                 .ours = rates[1],
                 .unit = "1/s",
                 .against = against,
                 .theirs = theirs,
                 .bar = Bar::at_least,
                 .limit = 0.7});
  };
  add("bare scripts", rates[0]);
  if (generator) add("redis-benchmark", rates[2]);
}

std::optional<Side> generated(const Pair& both, std::size_t connections, std::size_t depth,
                              std::uint64_t calls) {
  const auto server = test::redis_options();
  auto generator = RedisBenchmark::find(server.host, server.port);
  if (!generator) return std::nullopt;
  return timed_side("redis-benchmark", [=, &both] {
    const RedisFloor& floor = *both.floors.front();
    return generator->publish(floor.publish_script(), floor.name() + ":generated", connections,
                              depth, calls);
  });
}

/// So many calls under way on each of so many connections. Ours has a thread for each call; the
/// floor has one for each connection, which sends so many commands before it reads a reply.
void run_calls(Session& session, std::size_t connections, std::size_t depth) {
  Pair both(connections, connections, 10'000);
  const auto threads = connections * depth;
  const auto calls = session.settings().size(std::uint64_t{20'000}, std::uint64_t{160}) / threads;
  const std::string suffix =
      fmt::format(", {} connection{}{}", connections, connections == 1 ? "" : "s",
                  depth == 1 ? "" : fmt::format(", {} calls under way on each", depth));
  const auto ours = [&](std::uint64_t times, auto step) {
    return timed_side("fairlane", [=] { return on_threads(threads, times, step); });
  };
  const auto floor = [&](std::uint64_t times, auto append, auto taken) {
    return timed_side("floor", [=, &both] {
      Timed timed = on_threads(connections, times, [=, &both](std::size_t i) {
        for (std::size_t n = 0; n < depth; ++n) append(*both.floors[i], i * depth + n);
        for (std::size_t n = 0; n < depth; ++n) taken(both.floors[i]->take(), i * depth + n);
      });
      timed.items *= depth;
      return timed;
    });
  };
  std::vector<std::uint64_t> turns(threads);
  for (std::size_t i = 0; i < threads; ++i) turns[i] = i * 7919;
  const auto next = [&](std::size_t i) -> const std::string& {
    return both.keys.at_random(turns[i]++);
  };
  compare(session, "publish" + suffix,
          ours(calls, [&](std::size_t i) { both.ours->publish(next(i), "event"); }),
          floor(
              calls, [&](RedisFloor& on, std::size_t i) { on.publish(next(i), "event"); },
              [](const RedisFloor::Reply&, std::size_t) {}),
          generated(both, connections, depth, calls * threads));

  std::vector<std::string> held(threads);
  const auto keep = [&](const RedisFloor::Reply& reply, std::size_t i) {
    held[i] = group_in(reply);
  };
  compare(session, "claim, ack" + suffix,
          ours(calls / 2,
               [&](std::size_t) {
                 const auto lease = both.ours->claim("w", visibility);
                 require(lease && both.ours->ack(*lease) == Settled::done, "work");
               }),
          timed_side("floor", [&] {
            Timed timed = on_threads(connections, calls / 2, [&](std::size_t i) {
              RedisFloor& on = *both.floors[i];
              for (std::size_t n = 0; n < depth; ++n) on.claim();
              for (std::size_t n = 0; n < depth; ++n) keep(on.take(), i * depth + n);
              for (std::size_t n = 0; n < depth; ++n) on.ack(held[i * depth + n]);
              for (std::size_t n = 0; n < depth; ++n) on.take();
            });
            timed.items *= depth;
            return timed;
          }));

  std::vector<std::optional<Lease<Bytes>>> leases(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    leases[i] = both.ours->claim("w", visibility);
    both.floors[0]->claim();
    keep(both.floors[0]->take(), i);
  }
  compare(session, "ack_claim" + suffix,
          ours(calls / 4,
               [&](std::size_t i) {
                 leases[i] = both.ours->ack_claim(*leases[i], "w", visibility).lease;
               }),
          floor(
              calls / 4, [&](RedisFloor& on, std::size_t i) { on.ack_claim(held[i]); }, keep));
}

/// Batches, one after the other on one connection.
void run_batches(Session& session, std::size_t size) {
  Pair both(1, 1, 10'000);
  RedisFloor& on = *both.floors[0];
  const auto batches =
      session.settings().size(std::int64_t{50'000}, std::int64_t{400}) / static_cast<int>(size);
  const std::string suffix = fmt::format(" of {}", size);
  std::uint64_t turn = 0;
  const auto ours = [&](std::int64_t times, auto step) {
    return loop_side("fairlane", times, step);
  };
  const auto floor = [&](std::int64_t times, auto step) { return loop_side("floor", times, step); };
  compare(session, "publish_batch" + suffix,
          ours(batches,
               [&] {
                 std::vector<Publication<Bytes>> batch;
                 for (std::size_t i = 0; i < size; ++i) {
                   batch.push_back({both.keys.at_random(turn++), "event", 0});
                 }
                 both.ours->publish_batch(batch);
               }),
          floor(batches, [&] {
            std::vector<std::string_view> words;
            for (std::size_t i = 0; i < size; ++i) {
              words.emplace_back(both.keys.at_random(turn++));
              words.emplace_back("event");
            }
            on.publish_all(words);
            on.take();
          }));
  compare(session, "claim_batch, ack_batch" + suffix,
          ours(batches / 2,
               [&] {
                 const auto leases = both.ours->claim_batch(size, "w", visibility);
                 require(leases.size() == size, "work");
                 both.ours->ack_batch(leases);
               }),
          floor(batches / 2, [&] {
            on.claim_all(size);
            const auto claimed = on.take();
            require(claimed->elements == 2 * size, "work");
            std::vector<std::string_view> names;
            for (std::size_t i = 0; i < claimed->elements; i += 2) {
              names.emplace_back(claimed->element[i]->str, claimed->element[i]->len);
            }
            on.ack_all(names);
            on.take();
          }));
}

/// From several threads, whose calls share the connection.
void park(Transport<Bytes>& queue, const std::vector<Lease<Bytes>>& leases) {
  constexpr std::size_t threads = 16;
  run_crew(threads, [&](std::size_t first) {
    for (std::size_t i = first; i < leases.size(); i += threads) {
      require(queue.nack(leases[i], visibility) == Settled::done, "a park");
    }
  });
}

enum class Multitude { ready, one_group, leased, parked, below };

/// A queue with a hundred groups at work, and a multitude of something.
std::unique_ptr<Transport<Bytes>> with_multitude(Multitude of, std::uint64_t count) {
  constexpr std::int32_t below = -1;
  constexpr std::uint64_t at_once = 1'000;
  auto queue = open_redis(test::redis_options());
  for (std::uint64_t done = 0; done < count; done += at_once) {
    std::vector<std::string> names;
    std::vector<Publication<Bytes>> batch;
    for (std::uint64_t i = done; i < std::min(done + at_once, count); ++i) {
      names.push_back(of == Multitude::one_group ? "one" : "many-" + std::to_string(i));
    }
    for (const auto& name : names)
      batch.push_back({name, "event", of == Multitude::below ? below : 0});
    queue->publish_batch(batch);
    if (of != Multitude::leased && of != Multitude::parked) continue;
    const auto leases = queue->claim_batch(at_once, "w", visibility);
    if (of == Multitude::parked) park(*queue, leases);
  }
  return queue;
}

void run_multitude(Session& session, Multitude of, std::uint64_t count, const std::string& what) {
  const auto step = [](const std::shared_ptr<Transport<Bytes>>& queue) {
    return [queue, turn = 0]() mutable {
      queue->publish("busy-" + std::to_string(turn++ % 100), "event");
      const auto lease = queue->claim("w", visibility);
      require(lease && queue->ack(*lease) == Settled::done, "work");
    };
  };
  const auto times = session.settings().size(std::int64_t{2'000}, std::int64_t{20});
  const auto rates =
      session.measure("redis/" + what, {loop_side("few", times, step(with_multitude(of, 100))),
                                        loop_side("many", times, step(with_multitude(of, count)))});
  session.add({.workload = "redis",
               .what = "publish, claim, ack, " + what,
               .ours = rates[1],
               .unit = "1/s",
               .against = "with 100",
               .theirs = rates[0],
               .bar = Bar::at_least,
               .limit = 0.7});
}

/// What it costs to tell somebody who waits, and never gets anything.
void run_told(Session& session) {
  auto options = test::redis_options();
  const auto queue = open_redis(options);
  const auto other = open_redis(options);
  const auto quiet = open_redis(test::redis_options());
  std::jthread waiter([&](const std::stop_token& stop) {
    static_cast<void>(other->claim_wait("w", visibility, std::numeric_limits<std::int32_t>::max(),
                                        Duration::max(), stop));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto times = session.settings().size(std::int64_t{10'000}, std::int64_t{20});
  const auto step = [](Transport<Bytes>& on) {
    return [&on, turn = 0]() mutable { on.publish("new-" + std::to_string(turn++), "event"); };
  };
  const auto rates = session.measure("redis/told", {loop_side("quiet", times, step(*quiet)),
                                                    loop_side("told", times, step(*queue))});
  session.add({.workload = "redis",
               .what = "publish to new groups while another process waits",
               .ours = rates[1],
               .unit = "1/s",
               .against = "while none waits",
               .theirs = rates[0]});
}

}  // namespace

void run_redis(Session& session) {
  run_calls(session, 1, 1);
  run_calls(session, 4, 1);
  run_calls(session, 1, 4);
  run_calls(session, 4, 4);
  run_batches(session, 16);
  run_batches(session, 100);
  run_told(session);
  const auto many = session.settings().size(session.settings().groups, std::uint64_t{2'000});
  const auto count = fmt::format("{}", fmt::group_digits(many));
  run_multitude(session, Multitude::ready, many, count + " groups ready");
  run_multitude(session, Multitude::one_group, many, count + " messages in one group");
  run_multitude(session, Multitude::below, many, count + " groups below the floor");
  run_multitude(session, Multitude::leased, many, count + " groups leased");
  run_multitude(session, Multitude::parked, many, count + " groups parked");
}

}  // namespace fairlane::bench
