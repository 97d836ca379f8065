// Uses several stores of an installed Fairlane as one queue, by its URL.
#include <cstdio>

#include "fairlane/open.h"
#include "fairlane/sharded_transport.h"

int main() {
  fairlane::register_sharded();
  const auto queue = fairlane::open("sharded:?0=memory:&1=memory:");
  queue->publish("door", "open");
  const auto lease = queue->claim_wait("me", std::chrono::seconds(30));
  const bool done =
      lease && lease->event() == "open" && queue->ack(*lease) == fairlane::Settled::done;
  queue->close();
  std::puts(done ? "done" : "lost");
  return done ? 0 : 1;
}
