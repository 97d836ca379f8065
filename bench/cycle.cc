// Publish, claim, ack on one thread, beside the grouped floor.
#include <fmt/format.h>

#include <chrono>

#include "fairlane/in_memory_transport.h"
#include "grouped_floor.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

void prefill(const Keys& keys, auto publish) {
  for (std::uint64_t i = 0; i < backlog_per_group; ++i) {
    for (const auto& id : keys.ids()) publish(id);
  }
}

auto our_cycle(Transport<Event>& transport, const Keys& keys, const Event& event) {
  return [&transport, &keys, &event, turn = std::uint64_t{0}]() mutable {
    transport.publish(keys.at_random(turn++), event);
    const auto lease = transport.claim("worker-1", std::chrono::seconds(30));
    require(lease && transport.ack(*lease) == Settled::done, "a cycle has to find a message");
  };
}

void run_at(Session& session, std::size_t groups, double limit) {
  const Keys keys(groups);
  const Event event = std::make_shared<int>(1);
  GroupedFloor<Event> floor;
  InMemoryTransport<Event> by_claim;
  InMemoryTransport<Event> by_line({.queue = {.rotation = Rotation::ready_order}});
  prefill(keys, [&](const std::string& id) {
    floor.publish(id, event);
    by_claim.publish(id, event);
    by_line.publish(id, event);
  });
  const std::int64_t cycles = session.settings().size(1'000'000, 1'000);
  const auto floor_cycle = [&, turn = std::uint64_t{0}]() mutable {
    floor.publish(keys.at_random(turn++), event);
    const auto claim = floor.claim();
    floor.ack(claim);
  };
  const auto rates =
      session.measure(fmt::format("cycle/{}", groups),
                      {loop_side("grouped_floor", cycles, floor_cycle),
                       loop_side("fairlane", cycles, our_cycle(by_claim, keys, event)),
                       loop_side("fairlane_ready_order", cycles, our_cycle(by_line, keys, event))});
  for (const std::size_t ours : {1U, 2U}) {
    session.add({.workload = "cycle",
                 .what = fmt::format("{} group{}{}", fmt::group_digits(groups),
                                     groups == 1 ? "" : "s", ours == 2 ? ", ready_order" : ""),
                 .ours = nanoseconds(rates[ours]),
                 .unit = "ns",
                 .against = "grouped floor",
                 .theirs = nanoseconds(rates[0]),
                 .bar = Bar::at_most,
                 .limit = limit});
  }
}

}  // namespace

void run_cycle(Session& session) {
  run_at(session, 1, 1.3);
  run_at(session, 1'000, 1.3);
  if (session.settings().smoke) return;
  run_at(session, 100'000, 1.0);
  run_at(session, session.settings().groups, 1.0);
}

}  // namespace fairlane::bench
