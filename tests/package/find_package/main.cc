// A program that found an installed Fairlane: events that only move, drained step by step.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"

using Order = std::unique_ptr<std::string>;

int main() {
  fairlane::InMemoryTransport<Order> orders;
  orders.publish("customer-1", std::make_unique<std::string>("book"));
  orders.publish("customer-1", std::make_unique<std::string>("lamp"));

  auto lease = orders.claim("by hand", std::chrono::seconds(30));
  if (!lease || *lease->event() != "book") return 1;
  if (orders.ack(*lease) != fairlane::Settled::done) return 2;
  if (orders.ack(*lease) != fairlane::Settled::stale) return 3;

  std::string handled;
  fairlane::Worker worker(orders, [&](const fairlane::Lease<Order>& one) {
    handled += *one.event();
    return fairlane::Outcome::done();
  });
  while (worker.step()) {
  }
  std::printf("%s\n", handled.c_str());
  return handled == "lamp" ? 0 : 4;
}
