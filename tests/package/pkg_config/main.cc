// A program that is built by one compiler line with the flags that pkg-config names.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"

int main() {
  fairlane::InMemoryTransport<std::unique_ptr<int>> transport(
      {.queue = {.rotation = fairlane::Rotation::ready_order}});
  for (const int number : {1, 2, 3}) transport.publish("counter", std::make_unique<int>(number));
  const auto first = transport.claim("by hand", std::chrono::milliseconds(500));
  if (!first || transport.ack(*first) != fairlane::Settled::done) return 1;

  int sum = **first->event_ref();
  fairlane::Worker worker(transport, [&](const auto& lease) {
    sum = 10 * sum + *lease.event();
    return fairlane::Outcome::done();
  });
  while (worker.step()) {
  }
  std::printf("%d\n", sum);
  return sum == 123 ? 0 : 2;
}
