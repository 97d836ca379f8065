// What the workloads share: events, group ids, a random order of groups, and the list of them all.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace fairlane::bench {

using Event = std::shared_ptr<int>;

constexpr std::uint64_t backlog_per_group = 10;

/// Group ids, and an endless random sequence of them that costs a read and an addition.
class Keys {
 public:
  explicit Keys(std::size_t groups) {
    ids_.reserve(groups);
    for (std::size_t i = 0; i < groups; ++i) ids_.push_back("case-" + std::to_string(i));
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(groups - 1));
    picks_.resize(std::size_t{1} << 20);
    for (auto& pick : picks_) pick = any(random);
  }

  const std::vector<std::string>& ids() const { return ids_; }
  std::uint32_t pick(std::uint64_t turn) const { return picks_[turn & (picks_.size() - 1)]; }
  const std::string& at_random(std::uint64_t turn) const { return ids_[pick(turn)]; }

 private:
  std::vector<std::string> ids_;
  std::vector<std::uint32_t> picks_;
};

void run_cycle(Session& session);
void run_claim_ack(Session& session);
void run_priorities(Session& session);
void run_threads(Session& session);
void run_worker(Session& session);
void run_wakeup(Session& session);
void run_memory(Session& session);
void run_listing(Session& session);
void run_exec(Session& session);
void run_lines(Session& session);
void run_redis(Session& session);
void run_sqlite(Session& session);
void run_postgres(Session& session);

struct Workload {
  const char* name;
  const char* explanation;
  void (*run)(Session&);
  const char* server = nullptr;  ///< the variable that has to name one
};

/// All of them, in the order in which they run.
std::span<const Workload> workloads();

}  // namespace fairlane::bench
