// A program that chooses its engine by a URL, parks a message and looks why it is not delivered.
#include <chrono>
#include <cstdio>
#include <string>

#include "fairlane/open.h"
#include "fairlane/worker.h"

int main() {
  const auto transport = fairlane::open("memory:", {.queue = {.max_attempts = 2}});
  transport->publish("door-7", std::string("open"));
  const auto lease = transport->claim("me", std::chrono::seconds(5));
  if (!lease || lease->event() != "open") return 1;
  if (transport->nack(*lease, std::chrono::hours(1)) != fairlane::Settled::done) return 2;
  const auto info = transport->control().inspect("door-7");
  std::printf("%s\n", std::string(to_string(info.state)).c_str());
  if (info.state != fairlane::GroupState::parked) return 3;

  transport->publish("door-8", std::string("close"));
  fairlane::Worker worker(*transport, [](const fairlane::Lease<fairlane::Bytes>&) {
    return fairlane::Outcome::dead("no such door");
  });
  if (!worker.step() || worker.step()) return 4;
  const auto dead = transport->control().dead_letters(10);
  return dead.size() == 1 && dead.front().reason == "no such door" ? 0 : 5;
}
