#include "memory/wait_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace fairlane::memory {

void Waiter::wake() noexcept {
  if (has_thread()) {
    wakeup.raise();
  } else {
    notify();
  }
}

void Wakes::add_served(std::shared_ptr<Waiter> waiter) noexcept {
  waiter->next_served = std::move(served_);
  served_ = std::move(waiter);
}

void Wakes::raise_all() noexcept {
  while (served_ != nullptr) {
    const auto waiter = std::exchange(served_, std::move(served_->next_served));
    waiter->wake();
  }
  if (timekeeper_ != nullptr) timekeeper_->wake();
}

void WaitQueue::enroll(const std::shared_ptr<Waiter>& waiter) {
  waiter->arrival = ++arrivals_;
  waiters_.emplace(waiter->arrival, waiter);
  try {
    Arrivals& peers =
        waiter->publication != nullptr ? publishers_ : claimers_[waiter->min_priority];
    peers.emplace(waiter->arrival, waiter);
  } catch (...) {
    leave(*waiter);
    throw;
  }
}

void WaitQueue::leave(Waiter& waiter) noexcept {
  if (timekeeper_ == &waiter) timekeeper_ = nullptr;
  if (waiter.publication != nullptr) {
    publishers_.erase(waiter.arrival);
  } else if (const auto peers = claimers_.find(waiter.min_priority); peers != claimers_.end()) {
    peers->second.erase(waiter.arrival);
    if (peers->second.empty()) claimers_.erase(peers);
  }
  waiters_.erase(waiter.arrival);
}

void WaitQueue::finish(Waiter& waiter, Wakes& wakes) noexcept {
  auto self = waiters_.find(waiter.arrival)->second;
  leave(waiter);
  // The waiter may be gone from here on but for `self`: it looks without the lock.
  waiter.served.store(true, std::memory_order_release);
  wakes.add_served(std::move(self));
}

Waiter* WaitQueue::first_claimer(std::int32_t highest_claimable) const noexcept {
  Waiter* first = nullptr;
  Waiter* reserve = nullptr;
  for (const auto& [floor, peers] : claimers_) {
    if (floor > highest_claimable) break;
    for (const auto& [arrival, waiter] : peers) {
      if (waiter.get() == timekeeper_) {
        reserve = waiter.get();
        continue;
      }
      if (first == nullptr || arrival < first->arrival) first = waiter.get();
      break;
    }
  }
  return first != nullptr ? first : reserve;
}

bool WaitQueue::serve_claimer(scheduler::Scheduler& scheduler, Wakes& wakes) {
  const auto highest = scheduler.highest_claimable();
  if (!highest) return false;
  Waiter* const waiter = first_claimer(*highest);
  if (waiter == nullptr) return false;
  waiter->grant = scheduler.claim(waiter->worker_id, waiter->visibility, waiter->min_priority);
  finish(*waiter, wakes);
  return true;
}

void WaitQueue::serve_publishers(scheduler::Scheduler& scheduler, Wakes& wakes) {
  for (auto at = publishers_.begin(); at != publishers_.end();) {
    Waiter& waiter = *(at++)->second;
    const auto seq = scheduler.publish(*waiter.publication);
    if (!seq) continue;
    waiter.seq = *seq;
    finish(waiter, wakes);
  }
}

void WaitQueue::serve(scheduler::Scheduler& scheduler, Wakes& wakes) noexcept {
  try {
    serve_publishers(scheduler, wakes);
    while (serve_claimer(scheduler, wakes)) {
    }
  } catch (const std::bad_alloc&) {
    // The call in hand has taken effect and must not fail for somebody else's sake. Whoever could
    // not be served is served by the next call.
  }
  keep_time(scheduler, wakes);
}

bool WaitQueue::could_serve(const scheduler::Scheduler& scheduler) const noexcept {
  if (!publishers_.empty()) return true;
  return !claimers_.empty() && scheduler.has_claimable(claimers_.begin()->first);
}

Instant WaitQueue::next_alarm(const scheduler::Scheduler& scheduler) const noexcept {
  const auto floor =
      claimers_.empty() ? std::numeric_limits<std::int32_t>::max() : claimers_.begin()->first;
  const bool deaths_make_room = !publishers_.empty() && scheduler.rules().max_attempts != 0;
  const auto expiry = scheduler.next_expiry(floor, deaths_make_room);
  return expiry ? saturating_add(*expiry, std::chrono::nanoseconds(1)) : Instant::max();
}

void WaitQueue::keep_time(const scheduler::Scheduler& scheduler, Wakes& wakes) noexcept {
  if (waiters_.empty()) return;
  const Instant next = next_alarm(scheduler);
  if (timekeeper_ == nullptr) {
    if (next == Instant::max()) return;
    timekeeper_ = best_timekeeper();
  } else if (next >= alarm_) {
    return;  // It looks again when it wakes.
  }
  alarm_ = next;
  if (timekeeper_->deadline > next) wakes.set_timekeeper(waiters_.at(timekeeper_->arrival));
}

Waiter* WaitQueue::best_timekeeper() const noexcept {
  const auto newest_thread =
      std::find_if(waiters_.rbegin(), waiters_.rend(),
                   [](const auto& waiter) { return waiter.second->has_thread(); });
  return (newest_thread != waiters_.rend() ? newest_thread : waiters_.rbegin())->second.get();
}

Instant WaitQueue::plan_sleep(Waiter& waiter, const scheduler::Scheduler& scheduler) noexcept {
  if (timekeeper_ == nullptr || (waiter.has_thread() && !timekeeper_->has_thread())) {
    timekeeper_ = &waiter;
  }
  if (timekeeper_ != &waiter) return waiter.deadline;
  alarm_ = next_alarm(scheduler);
  return std::min(alarm_, waiter.deadline);
}

std::vector<std::shared_ptr<Waiter>> WaitQueue::all() const {
  std::vector<std::shared_ptr<Waiter>> all;
  all.reserve(waiters_.size());
  for (const auto& [arrival, waiter] : waiters_) all.push_back(waiter);
  return all;
}

}  // namespace fairlane::memory
