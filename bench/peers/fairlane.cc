// Fairlane at the work that workload.mjs gives to every peer, and the same line of JSON about it.
//
//   fairlane_bench_peer URL single|batched [--jobs N] [--groups N] [--seconds S]
//
// Single: `publish`, then `claim` once and `ack_claim` from there, as a worker does. Batched: fifty
// at a time by `publish_batch`, and by `claim_batch` with `ack_batch`.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "crew.h"
#include "fairlane/open.h"
#include "fairlane/postgres_transport.h"
#include "fairlane/redis_transport.h"

namespace {

using fairlane::Bytes;
using fairlane::Lease;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t workers = 4;
constexpr std::size_t batch_size = 50;
constexpr std::chrono::minutes visibility(5);

struct Work {
  std::string url;
  std::string mode;
  std::size_t jobs = 5'000;
  std::size_t groups = 500;
  double seconds = 20;

  bool batched() const { return mode == "batched"; }
};

/// What a phase did, from its first call to the last job of it.
struct Done {
  std::size_t count;
  double seconds;

  double rate() const { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }
};

double since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

class Run {
 public:
  explicit Run(const Work& work)
      : work_(work), queue_(fairlane::open(with_own_queue(work.url))), next_(work.groups) {}

  /// Each of four publishers has its own groups, so that order is a matter of the queue alone.
  Done publish() {
    const auto begin = SteadyClock::now();
    std::atomic<std::size_t> count{0};
    fairlane::bench::run_crew(workers, [&](std::size_t worker) {
      const auto share = share_of(worker);
      const std::size_t step = work_.batched() ? batch_size : 1;
      for (std::size_t at = 0; at < share.size() && since(begin) < work_.seconds; at += step) {
        const auto size = std::min(step, share.size() - at);
        publish_some({share.data() + at, size});
        count += size;
      }
    });
    return {count, since(begin)};
  }

  Done drain(std::size_t expected) {
    const auto begin = SteadyClock::now();
    std::array<double, workers> finished{};
    fairlane::bench::run_crew(workers, [&](std::size_t worker) {
      std::optional<Lease<Bytes>> lease;
      while (handled_ < expected && since(begin) < work_.seconds) {
        if ((work_.batched() ? drain_batch() : drain_one(lease)) > 0) {
          finished.at(worker) = since(begin);
        } else {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }
    });
    return {handled_, *std::max_element(finished.begin(), finished.end())};
  }

  std::size_t out_of_order() const { return out_of_order_; }

 private:
  struct Job {
    std::string group;
    std::string event;
  };

  static std::string with_own_queue(const std::string& url) {
    const char mark = url.find('?') == std::string::npos ? '?' : '&';
    return url + mark + "queue=bench-" + std::to_string(::getpid());
  }

  std::vector<Job> share_of(std::size_t worker) const {
    std::vector<Job> share;
    for (std::size_t i = 0; i < work_.jobs; ++i) {
      const auto group = i % work_.groups;
      if (group % workers != worker) continue;
      const nlohmann::json event{{"group", group}, {"n", i / work_.groups}};
      share.push_back({"g" + std::to_string(group), event.dump()});
    }
    return share;
  }

  void publish_some(std::span<const Job> jobs) {
    if (jobs.size() == 1) {
      queue_->publish(jobs.front().group, jobs.front().event);
      return;
    }
    std::vector<fairlane::Publication<Bytes>> batch;
    batch.reserve(jobs.size());
    for (const auto& job : jobs) batch.push_back({job.group, job.event, 0});
    queue_->publish_batch(batch);
  }

  void handle(const Lease<Bytes>& lease) {
    const auto job = nlohmann::json::parse(std::string_view(lease.event()));
    auto& next = next_.at(job.at("group").get<std::size_t>());
    const auto n = job.at("n").get<std::size_t>();
    if (next.exchange(n + 1) != n) ++out_of_order_;
    ++handled_;
  }

  std::size_t drain_one(std::optional<Lease<Bytes>>& lease) {
    if (!lease) lease = queue_->claim("w", visibility);
    if (!lease) return 0;
    handle(*lease);
    lease = queue_->ack_claim(*lease, "w", visibility).lease;
    return 1;
  }

  std::size_t drain_batch() {
    const auto leases = queue_->claim_batch(batch_size, "w", visibility);
    for (const auto& lease : leases) handle(lease);
    if (!leases.empty()) queue_->ack_batch(leases);
    return leases.size();
  }

  const Work& work_;
  const std::unique_ptr<fairlane::Transport<Bytes>> queue_;
  std::vector<std::atomic<std::size_t>> next_;
  std::atomic<std::size_t> handled_{0};
  std::atomic<std::size_t> out_of_order_{0};
};

}  // namespace

int main(int argc, char** argv) {
  Work work;
  CLI::App app("Fairlane at the work of bench/peers.");
  app.add_option("url", work.url)->required();
  app.add_option("mode", work.mode)->required()->check(CLI::IsMember({"single", "batched"}));
  app.add_option("--jobs", work.jobs)->check(CLI::PositiveNumber);
  app.add_option("--groups", work.groups)->check(CLI::PositiveNumber);
  app.add_option("--seconds", work.seconds)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    fairlane::register_postgres();
    fairlane::register_redis();
    Run run(work);
    const auto published = run.publish();
    const auto drained = run.drain(published.count);
    std::cout << nlohmann::json{{"peer", "fairlane"},
                                {"version", FAIRLANE_BENCH_VERSION},
                                {"mode", work.mode},
                                {"jobs", published.count},
                                {"groups", work.groups},
                                {"workers", workers},
                                {"publish_per_second", std::llround(published.rate())},
                                {"drained", drained.count},
                                {"drain_per_second", std::llround(drained.rate())},
                                {"out_of_order", run.out_of_order()}}
              << "\n";
    return run.out_of_order() == 0 && drained.count > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
