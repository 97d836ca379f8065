#include "run/keeper.h"

#include <algorithm>
#include <vector>

#include "fairlane/error.h"

namespace fairlane::run {

namespace {

// A third of the visibility is when a lease is extended; twice as often is looked.
constexpr int beats = 3;

}  // namespace

Keeper::Keeper(Transport<Bytes>& transport, Duration visibility)
    : transport_(transport),
      visibility_(visibility),
      thread_([this](std::stop_token stop) { run(std::move(stop)); }) {}

Keeper::~Keeper() {
  thread_.request_stop();
  thread_.join();
}

void Keeper::hold(std::span<const Lease<Bytes>> leases, Flag* lost) {
  const auto at = after(std::chrono::steady_clock::now(), visibility_.value() / beats);
  const std::lock_guard lock(mutex_);
  for (const auto& lease : leases) held_.insert_or_assign(lease.fence(), Held{lease, at, lost});
}

void Keeper::drop(const Lease<Bytes>& lease) {
  const std::lock_guard lock(mutex_);
  held_.erase(lease.fence());
}

void Keeper::run(std::stop_token stop) {
  const auto pause = std::min<std::chrono::nanoseconds>(visibility_.value() / (2 * beats),
                                                        std::chrono::minutes(10));
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, pause, [] { return false; });
    if (!stop.stop_requested()) extend_due(lock);
  }
}

void Keeper::extend_due(std::unique_lock<std::mutex>& lock) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Lease<Bytes>> due;
  for (auto& [fence, held] : held_) {
    if (held.extend_at > now) continue;
    held.extend_at = after(now, visibility_.value() / beats);
    due.push_back(held.lease);
  }
  for (const auto& lease : due) {
    lock.unlock();
    auto settled = Settled::done;
    try {
      settled = transport_.extend(lease, visibility_);
    } catch (const TransportError&) {
      // The next beat tries again; until then the lease runs.
    }
    lock.lock();
    const auto held = held_.find(lease.fence());
    if (settled == Settled::stale && held != held_.end() && held->second.lost != nullptr) {
      held->second.lost->raise();
    }
  }
}

}  // namespace fairlane::run
