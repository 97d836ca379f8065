// Bytes of the heap that are in use, by the allocator's own account (mallinfo2): all arenas and
// what it mapped, its own overhead per block included.
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>

#include "fairlane/in_memory_transport.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

double bytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

struct Measured {
  double start;    ///< bytes before the first publish, with the transport open
  double full;     ///< with all messages queued
  double drained;  ///< after the last ack
  double per_item(std::uint64_t items) const { return (full - start) / static_cast<double>(items); }
};

void drain(Transport<Event>& transport, std::uint64_t count) {
  auto lease = transport.claim("worker-1", std::chrono::seconds(30));
  for (std::uint64_t i = 0; i < count; ++i) {
    require(lease.has_value(), "all that was published has to be claimable");
    auto answer = transport.ack_claim(*lease, "worker-1", std::chrono::seconds(30));
    require(answer.settled == Settled::done, "nobody else has the message");
    lease = std::move(answer.lease);
  }
  require(!lease, "nothing else is to be claimed");
}

/// Publishes so many messages, each by `publish(i)`, and drains them.
template <class Publish>
Timed fill_and_drain(std::uint64_t count, const Publish& publish, Measured& measured) {
  const auto from = std::chrono::steady_clock::now();
  InMemoryTransport<Event> transport;
  measured.start = bytes_in_use();
  for (std::uint64_t i = 0; i < count; ++i) publish(transport, i);
  measured.full = bytes_in_use();
  drain(transport, count);
  measured.drained = bytes_in_use();
  const auto until = std::chrono::steady_clock::now();
  return {std::chrono::duration<double>(until - from).count(), count};
}

void add_bytes(Session& session, std::string what, double bytes, double limit) {
  session.add({.workload = "memory",
               .what = std::move(what),
               .ours = bytes,
               .unit = "bytes",
               .bar = Bar::at_most,
               .limit = limit});
}

void add_drained(Session& session, const std::string& what, const Measured& measured) {
  session.add({.workload = "memory",
               .what = what,
               .ours = measured.drained / 1024,
               .unit = "KiB",
               .against = "at the start",
               .theirs = measured.start / 1024,
               .bar = Bar::at_most,
               .limit = 1.1});
}

}  // namespace

void run_memory(Session& session) {
  const auto messages = session.settings().size<std::uint64_t>(session.settings().messages, 10'000);
  const auto groups = session.settings().size<std::uint64_t>(session.settings().groups, 10'000);
  const Event event = std::make_shared<int>(1);
  Measured queue{};
  Measured many{};
  double id_bytes = 0;
  const auto publish_to_one = [&](Transport<Event>& transport, std::uint64_t) {
    transport.publish("case-0", event);
  };
  const auto publish_to_each = [&](Transport<Event>& transport, std::uint64_t i) {
    const auto id = fmt::format("case-{}", i);
    id_bytes += static_cast<double>(id.size());
    transport.publish(id, event);
  };
  session.measure(
      "memory",
      {timed_side("messages", [&] { return fill_and_drain(messages, publish_to_one, queue); })});
  session.measure("memory", {timed_side("groups", [&] {
                    id_bytes = 0;
                    return fill_and_drain(groups, publish_to_each, many);
                  })});
  const double message_bytes = queue.per_item(messages);
  add_bytes(
      session,
      fmt::format("per message beside the event, {} in one group", fmt::group_digits(messages)),
      message_bytes - sizeof(Event), 64);
  add_bytes(
      session,
      fmt::format("per group beside its id and its message, {} groups", fmt::group_digits(groups)),
      many.per_item(groups) - message_bytes - id_bytes / static_cast<double>(groups), 160);
  add_drained(session,
              fmt::format("in use after draining {} messages", fmt::group_digits(messages)), queue);
  add_drained(session, fmt::format("in use after draining {} groups", fmt::group_digits(groups)),
              many);
}

}  // namespace fairlane::bench
