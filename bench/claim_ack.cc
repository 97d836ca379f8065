// Claim and ack where much else is in the store, beside the same with little else.
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "fairlane/in_memory_transport.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Transport = InMemoryTransport<Event>;
constexpr std::chrono::hours visibility(1);
constexpr std::int32_t work_priority = 10;
constexpr std::uint64_t at_once = 10;

double seconds_between(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// What reading the clock twice adds to a span that is timed.
double cost_of_timing() {
  constexpr int reads = 100'000;
  double sum = 0;
  for (int i = 0; i < reads; ++i) {
    const auto from = SteadyClock::now();
    sum += seconds_between(from, SteadyClock::now());
  }
  return sum / reads;
}

/// Publishes `at_once` messages, untimed, then claims and acks as many, timed; over and over.
Timed claim_and_ack(Transport& transport, const std::vector<std::string>& work,
                    std::uint64_t rounds) {
  static const double overhead = cost_of_timing();
  static const Event event = std::make_shared<int>(1);
  double seconds = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::uint64_t i = 0; i < at_once; ++i) {
      transport.publish(work[(round * at_once + i) % work.size()], event, work_priority);
    }
    const auto from = SteadyClock::now();
    for (std::uint64_t i = 0; i < at_once; ++i) {
      const auto lease = transport.claim("worker-1", visibility, 0);
      require(lease && transport.ack(*lease) == Settled::done, "there has to be work");
    }
    seconds += seconds_between(from, SteadyClock::now()) - overhead;
  }
  return {seconds, rounds * at_once};
}

std::vector<std::string> numbered(const char* name, std::uint64_t count) {
  std::vector<std::string> ids;
  for (std::uint64_t i = 0; i < count; ++i) ids.push_back(fmt::format("{}-{}", name, i));
  return ids;
}

/// What else is in the store: a kind of thing, and how many of it make much.
struct Ballast {
  const char* name;
  const char* what;
  std::uint64_t much;
  std::uint64_t work_groups;
  std::function<void(Transport&, std::uint64_t)> load;
};

void each_group(Transport& transport, std::uint64_t count, std::int32_t priority,
                const std::function<void()>& then) {
  const Event event = std::make_shared<int>(1);
  for (std::uint64_t i = 0; i < count; ++i) {
    transport.publish(fmt::format("other-{}", i), event, priority);
    if (then) then();
  }
}

void load_waiting(Transport& transport, std::uint64_t count) {
  const Event event = std::make_shared<int>(1);
  for (std::uint64_t i = 0; i < count; ++i) transport.publish("work-0", event, work_priority);
}

void load_below_floor(Transport& transport, std::uint64_t count) {
  each_group(transport, count, -1, nullptr);
}

void load_leased(Transport& transport, std::uint64_t count) {
  each_group(transport, count, 0, [&] {
    require(transport.claim("other", visibility).has_value(), "there has to be a group to lease");
  });
}

void load_parked(Transport& transport, std::uint64_t count) {
  each_group(transport, count, 0, [&] {
    const auto lease = transport.claim("other", visibility);
    require(lease && transport.nack(*lease, visibility) == Settled::done, "it has to be parked");
  });
}

void run_with(Session& session, const Ballast& ballast) {
  const auto work = numbered("work", ballast.work_groups);
  Transport little;
  Transport much;
  ballast.load(little, 10);
  ballast.load(much, ballast.much);
  const auto rounds = session.settings().size<std::uint64_t>(30'000, 20);
  const auto rates =
      session.measure(fmt::format("claim_ack/{}", ballast.name),
                      {timed_side("10", [&] { return claim_and_ack(little, work, rounds); }),
                       timed_side("many", [&] { return claim_and_ack(much, work, rounds); })});
  session.add({.workload = "claim_ack",
               .what = fmt::format("{} {}", fmt::group_digits(ballast.much), ballast.what),
               .ours = nanoseconds(rates[1]),
               .unit = "ns",
               .against = "with 10",
               .theirs = nanoseconds(rates[0]),
               .bar = Bar::at_most,
               .limit = 1.5});
}

/// Groups spread over so many priorities, all of them claimable.
Timed claim_and_ack_over(Transport& transport, const std::vector<std::string>& ids,
                         std::int32_t priorities, std::uint64_t rounds) {
  static const Event event = std::make_shared<int>(1);
  double seconds = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::int32_t priority = 0;
    for (const auto& id : ids) {
      transport.publish(id, event, priority);
      priority = priority + 1 == priorities ? 0 : priority + 1;
    }
    const auto from = SteadyClock::now();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto lease = transport.claim("worker-1", visibility, 0);
      require(lease && transport.ack(*lease) == Settled::done, "there has to be work");
    }
    seconds += seconds_between(from, SteadyClock::now());
  }
  return {seconds, rounds * ids.size()};
}

}  // namespace

void run_claim_ack(Session& session) {
  const auto& settings = session.settings();
  const auto messages = settings.size<std::uint64_t>(settings.messages, 1'000);
  const auto groups = settings.size<std::uint64_t>(settings.groups, 1'000);
  run_with(session, {"waiting", "messages waiting in one group", messages, 1, load_waiting});
  run_with(session, {"below_floor", "groups below the floor", groups, 10, load_below_floor});
  run_with(session, {"leased", "groups leased", groups, 10, load_leased});
  run_with(session, {"parked", "groups parked", groups, 10, load_parked});
}

void run_priorities(Session& session) {
  const auto ids = numbered("case", 1'000);
  const auto rounds = session.settings().size<std::uint64_t>(200, 2);
  std::vector<Side> sides;
  const std::vector<std::int32_t> counts{1, 16, 1'000};
  std::vector<std::unique_ptr<Transport>> transports;
  for (const auto count : counts) {
    auto& transport = *transports.emplace_back(std::make_unique<Transport>());
    sides.push_back(timed_side(std::to_string(count), [&transport, &ids, count, rounds] {
      return claim_and_ack_over(transport, ids, count, rounds);
    }));
  }
  const auto rates = session.measure("priorities", sides);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    session.add(
        {.workload = "priorities",
         .what = fmt::format("claim + ack at {} distinct priorities", fmt::group_digits(counts[i])),
         .ours = nanoseconds(rates[i]),
         .unit = "ns",
         .against = "at 1 priority",
         .theirs = nanoseconds(rates[0])});
  }
}

}  // namespace fairlane::bench
