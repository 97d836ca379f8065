// What looking into a big store costs.
#include <fmt/format.h>

#include <chrono>

#include "fairlane/in_memory_transport.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t page = 100;

double seconds_since(SteadyClock::time_point from) {
  return std::chrono::duration<double>(SteadyClock::now() - from).count();
}

/// Lists pages, each beginning behind the last id of the one before, as often as `pages`.
Timed list_pages(Control<Event>& control, std::uint64_t pages) {
  std::string after;
  const auto from = SteadyClock::now();
  for (std::uint64_t i = 0; i < pages; ++i) {
    const auto ids = control.groups({.limit = page, .after = after});
    require(ids.size() == page, "a page has to be full");
    after = ids.back();
  }
  return {seconds_since(from), pages};
}

void add(Session& session, const char* what, std::size_t groups, double microseconds) {
  session.add({.workload = "listing",
               .what = fmt::format("{}, {} groups", what, fmt::group_digits(groups)),
               .ours = microseconds,
               .unit = "us"});
}

}  // namespace

void run_listing(Session& session) {
  const auto groups = session.settings().size<std::size_t>(session.settings().groups, 1'000);
  const Keys keys(groups);
  const Event event = std::make_shared<int>(1);
  InMemoryTransport<Event> transport;
  for (const auto& id : keys.ids()) transport.publish(id, event);
  auto& control = transport.control();
  const auto from = SteadyClock::now();
  require(control.groups({.limit = page}).size() == page, "a page has to be full");
  const double first = seconds_since(from);
  const std::int64_t calls = session.settings().size(5, 1);
  const auto pages = session.settings().size<std::uint64_t>(100, 3);
  const auto rates = session.measure(
      "listing",
      {loop_side("stats", calls,
                 [&] { require(control.stats().groups == groups, "they are all active"); }),
       timed_side("groups", [&] { return list_pages(control, pages); })});
  add(session, "stats", groups, nanoseconds(rates[0]) / 1e3);
  add(session, "the first page of 100 ids", groups, first * 1e6);
  add(session, "a further page of 100 ids", groups, nanoseconds(rates[1]) / 1e3);
}

}  // namespace fairlane::bench
