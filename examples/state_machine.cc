// A state machine's transitions run one at a time and in order, and a test drives them by hand:
// `step` handles one event, and time passes only when the test says so.
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "fairlane/worker.h"

namespace {

using std::chrono::minutes;

/// What becomes of an order in `state` by `event`; empty: the event is not allowed there.
std::string next_state(std::string_view state, std::string_view event) {
  if (state == "new" && event == "pay") return "paid";
  if (state == "paid" && event == "pack") return "packed";
  if (state == "packed" && event == "ship") return "shipped";
  return {};
}

class Orders {
 public:
  std::string& state(std::string_view order) {
    return states_.try_emplace(std::string(order), "new").first->second;
  }
  bool carrier_is_here = true;

  fairlane::Outcome handle(const fairlane::Lease<std::string>& lease) {
    const auto next = next_state(state(lease.group_id()), lease.event());
    if (next.empty()) return fairlane::Outcome::dead("not allowed now");
    if (lease.event() == "ship" && !carrier_is_here) return fairlane::Outcome::retry(minutes(10));
    state(lease.group_id()) = next;
    return fairlane::Outcome::done();
  }

 private:
  std::map<std::string, std::string, std::less<>> states_;
};

bool expect(bool holds, std::string_view what) {
  std::cout << (holds ? "ok: " : "FAILED: ") << what << "\n";
  return holds;
}

}  // namespace

int main() {
  const auto clock = std::make_shared<fairlane::testing::ManualClock>();
  fairlane::InMemoryTransport<std::string> events({.clock = clock});
  Orders orders;
  fairlane::Worker worker(events, [&](const auto& lease) { return orders.handle(lease); });
  const auto drain = [&] {
    while (worker.step()) {
    }
  };

  for (const char* event : {"pay", "pack", "ship"}) events.publish("order-1", event);
  events.publish("order-2", "ship");
  orders.carrier_is_here = false;
  drain();
  bool good = expect(orders.state("order-1") == "packed", "an order waits for the carrier");
  good &= expect(events.control().inspect("order-1").state == fairlane::GroupState::parked,
                 "its event is parked, and nothing behind it can overtake");
  good &= expect(events.control().dead_letters(1).size() == 1,
                 "an event that is not allowed becomes a dead letter");

  orders.carrier_is_here = true;
  clock->advance(minutes(10));
  drain();
  good &= expect(orders.state("order-1") == "packed", "at the tenth minute it is still parked");
  clock->advance(std::chrono::nanoseconds(1));
  drain();
  good &= expect(orders.state("order-1") == "shipped", "the first instant after, it is shipped");
  return good ? 0 : 1;
}
