#include <iostream>
#include <string>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"

int main() {
  fairlane::InMemoryTransport<std::string> queue;
  queue.publish("order-1", "pay");
  queue.publish("order-1", "ship");
  queue.publish("order-2", "pay");

  fairlane::Worker worker(queue, [](const fairlane::Lease<std::string>& lease) {
    std::cout << lease.group_id() << ": " << lease.event() << "\n";
    return fairlane::Outcome::done();
  });
  while (worker.step()) {
  }
}
