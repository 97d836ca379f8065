#include "sharded/watch.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace fairlane::sharded {

/// A waiter's place in the line. Whoever leaves without taking what it was given hands it back.
class Watch::InLine {
 public:
  InLine(Watch& watch, Waiter& waiter) : watch_(watch), waiter_(waiter) { watch.join(waiter); }
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;
  ~InLine() {
    watch_.leave(waiter_);
    if (waiter_.lease) watch_.shards_.give_back(*waiter_.lease);
  }
  std::optional<Lease<Bytes>> take() {
    watch_.leave(waiter_);
    if (const auto& failure = waiter_.failure) {
      throw TransportError(failure->code, failure->what, failure->may_be_stored);
    }
    return std::exchange(waiter_.lease, std::nullopt);
  }

 private:
  Watch& watch_;
  Waiter& waiter_;
};

std::optional<Lease<Bytes>> Watch::wait(const Wish& wish, Instant deadline,
                                        const std::stop_token& stop) {
  Waiter waiter{.wish = wish};
  const std::stop_callback on_stop(stop, [&] { waiter.wakeup.raise(); });
  InLine in_line(*this, waiter);
  const auto is_served = [&] {
    const std::lock_guard lock(mutex_);
    return waiter.served;
  };
  const auto& clock = shards_.clock();
  while (!is_served() && !stop.stop_requested() && clock->now() < deadline) {
    clock->sleep(waiter.wakeup, deadline);
  }
  return in_line.take();
}

void Watch::join(Waiter& waiter) {
  Over over;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      waiter.served = true;
      return;
    }
    start_watchers();
    line_.push_back(&waiter);
    try {
      over = next_round();
    } catch (...) {
      line_.pop_back();
      throw;
    }
  }
  if (over) over->stop.request_stop();
}

void Watch::start_watchers() {
  try {
    while (watchers_.size() < shards_.size()) {
      Shard& shard = *shards_.all()[watchers_.size()];
      watchers_.emplace_back([this, &shard] { watch(shard); });
    }
  } catch (const std::system_error& error) {
    throw TransportError(ErrorCode::unavailable,
                         std::string("no thread to wait with: ") + error.what());
  }
}

void Watch::leave(Waiter& waiter) {
  Over over;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(waiter.served, true)) return;
    line_.remove(&waiter);
    over = next_round();
  }
  if (over) over->stop.request_stop();
}

void Watch::close() {
  Over over;
  std::vector<std::thread> watchers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (!line_.empty()) serve(*line_.front());
    over = next_round();
    watchers.swap(watchers_);
  }
  changed_.notify_all();
  if (over) over->stop.request_stop();
  for (auto& watcher : watchers) watcher.join();
}

void Watch::watch(Shard& shard) {
  for (;;) {
    std::shared_ptr<Round> round;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || round_ != nullptr; });
      if (closed_) return;
      round = round_;
    }
    claim_for(shard, *round);
  }
}

void Watch::claim_for(Shard& shard, Round& round) {
  const auto stop = round.stop.get_token();
  try {
    if (!may_ask(shard, stop)) return;
    // One that failed has to answer before it is waited for: how else would it be known that it
    // is well again?
    if (shard.is_failing()) {
      if (const auto lease = shards_.claim_at(shard, round.wish)) return deliver(round, *lease);
    }
    if (const auto lease = shards_.claim_wait_at(shard, round.wish, Duration::max(), stop)) {
      deliver(round, *lease);
    } else if (!stop.stop_requested()) {
      shards_.note_failure(shard);  // It was closed behind our back.
    }
  } catch (const TransportError& error) {
    const Failure failure{error.code(), error.what(), error.may_be_stored()};
    if (failure.code == ErrorCode::incompatible) return fail_one(round, failure);
    if (shards_.all_fail()) fail_everyone(failure);
  } catch (const std::exception& error) {
    // No transport raises these, but a clock may, and memory may be short.
    fail_one(round, {ErrorCode::unavailable, error.what(), false});
  }
}

/// Sleeps until a shard that failed may be asked again; false if the round is over before.
bool Watch::may_ask(const Shard& shard, const std::stop_token& stop) {
  Wakeup wakeup;
  const std::stop_callback on_stop(stop, [&] { wakeup.raise(); });
  const auto& clock = shards_.clock();
  while (!stop.stop_requested()) {
    if (!shard.is_failing() || clock->now() >= shard.retry_at()) return true;
    clock->sleep(wakeup, shard.retry_at());
  }
  return false;
}

void Watch::deliver(const Round& round, const Lease<Bytes>& lease) {
  const bool is_taken = serve_first_with(round.wish, [&](Waiter& waiter) { waiter.lease = lease; });
  if (!is_taken) shards_.give_back(lease);
}

void Watch::fail_one(const Round& round, const Failure& failure) {
  serve_first_with(round.wish, [&](Waiter& waiter) { waiter.failure = failure; });
}

void Watch::fail_everyone(const Failure& failure) {
  Over over;
  {
    const std::lock_guard lock(mutex_);
    while (!line_.empty()) {
      line_.front()->failure = failure;
      serve(*line_.front());
    }
    over = next_round();
  }
  if (over) over->stop.request_stop();
}

template <class Give>
bool Watch::serve_first_with(const Wish& wish, Give give) {
  Over over;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(line_.begin(), line_.end(),
                                    [&](const Waiter* waiter) { return waiter->wish == wish; });
    if (found == line_.end()) return false;
    give(**found);
    serve(**found);
    over = next_round();
  }
  if (over) over->stop.request_stop();
  return true;
}

/// Wakes it under the lock: as soon as it has the lock itself it may be gone.
void Watch::serve(Waiter& waiter) {
  line_.remove(&waiter);
  waiter.served = true;
  waiter.wakeup.raise();
}

/// The wish of who waits longest of those with the lowest floor; the old round is for the caller to
/// stop if it is another.
Watch::Over Watch::next_round() {
  const auto first = std::min_element(line_.begin(), line_.end(), [](const auto* a, const auto* b) {
    return a->wish.min_priority < b->wish.min_priority;
  });
  if (first == line_.end()) return std::exchange(round_, nullptr);
  const Wish& wish = (*first)->wish;
  if (round_ != nullptr && round_->wish == wish) return nullptr;
  auto over = std::exchange(round_, std::make_shared<Round>(wish));
  changed_.notify_all();
  return over;
}

}  // namespace fairlane::sharded
