// A program that carries Fairlane in its tree: a worker of two threads keeps each group in order.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"

namespace {

struct Step {
  int number = 0;
  std::unique_ptr<std::string> note;
};

}  // namespace

int main() {
  constexpr int groups = 10;
  constexpr int steps = 100;
  fairlane::InMemoryTransport<Step> transport;
  for (int number = 0; number < steps; ++number) {
    for (int group = 0; group < groups; ++group) {
      transport.publish("group-" + std::to_string(group),
                        Step{number, std::make_unique<std::string>("note")});
    }
  }

  std::mutex mutex;
  std::map<std::string, int, std::less<>> next;
  std::atomic<bool> in_order = true;
  std::atomic<int> handled = 0;
  std::stop_source stop;
  fairlane::Worker worker(transport,
                          [&](const fairlane::Lease<Step>& lease) {
                            {
                              const std::lock_guard lock(mutex);
                              if (next[std::string(lease.group_id())]++ != lease.event().number)
                                in_order = false;
                            }
                            if (++handled == groups * steps) stop.request_stop();
                            return fairlane::Outcome::done();
                          },
                          {.threads = 2});
  worker.run(stop.get_token());
  std::printf("%d handled\n", handled.load());
  return in_order && handled == groups * steps ? 0 : 1;
}
