// Webhooks: each customer's calls go out in order, customers do not wait for each other, an
// endpoint that is down is tried again after a back-off, and what it never takes becomes a dead
// letter.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "fairlane/in_memory_transport.h"
#include "fairlane/worker.h"

namespace {

struct Call {
  std::string url;
  std::string body;
};

/// Stands for the network: "slow.example" is down for its first two calls, "gone.example" for ever.
class Network {
 public:
  bool post(const Call& call) {
    const std::lock_guard lock(mutex_);
    if (call.url == "https://gone.example/hook") return false;
    if (call.url == "https://slow.example/hook" && refusals_++ < 2) return false;
    received_[call.url].push_back(call.body);
    return true;
  }
  std::vector<std::string> received(const std::string& url) {
    const std::lock_guard lock(mutex_);
    return received_[url];
  }

 private:
  std::mutex mutex_;
  int refusals_ = 0;
  std::map<std::string, std::vector<std::string>> received_;
};

/// Stops the worker when every call has been delivered or given up. The last attempt of a call that
/// always fails is a retry in the worker's eyes; that it is dead shows in the dead letters.
class UntilAllSettled final : public fairlane::WorkerObserver<Call> {
 public:
  UntilAllSettled(int calls, std::uint32_t max_attempts)
      : open_(calls), max_attempts_(max_attempts) {}

  void done(const fairlane::Lease<Call>&) override { settle(); }
  void retried(const fairlane::Lease<Call>& lease, fairlane::Duration,
               std::string_view why) override {
    std::printf("attempt %u for %s failed: %s\n", lease.attempt(), lease.event().url.c_str(),
                std::string(why).c_str());
    if (lease.attempt() == max_attempts_) settle();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  void settle() {
    if (--open_ == 0) stop_.request_stop();
  }

  std::atomic<int> open_;
  const std::uint32_t max_attempts_;
  std::stop_source stop_;
};

}  // namespace

int main() {
  constexpr std::uint32_t max_attempts = 3;
  fairlane::InMemoryTransport<Call> calls(
      {.queue = {.rotation = fairlane::Rotation::ready_order, .max_attempts = max_attempts}});
  for (const char* body : {"created", "paid", "shipped"}) {
    for (const char* customer : {"fast", "slow", "gone"}) {
      calls.publish(customer, {"https://" + std::string(customer) + ".example/hook", body});
    }
  }

  Network network;
  UntilAllSettled observer(9, max_attempts);
  fairlane::Worker worker(
      calls,
      [&](const fairlane::Lease<Call>& lease) {
        if (network.post(lease.event())) return fairlane::Outcome::done();
        return fairlane::Outcome::failed("no answer");
      },
      {.threads = 2, .backoff = {.min = std::chrono::milliseconds(1)}}, &observer);
  worker.run(observer.token());

  const std::vector<std::string> in_order = {"created", "paid", "shipped"};
  for (const char* url : {"https://fast.example/hook", "https://slow.example/hook"}) {
    std::printf("%s: %zu calls\n", url, network.received(url).size());
    if (network.received(url) != in_order) return 1;
  }
  const auto dead = calls.control().dead_letters(10);
  std::printf("given up: %zu calls\n", dead.size());
  return dead.size() == 3 ? 0 : 1;
}
