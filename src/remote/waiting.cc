#include "remote/waiting.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fairlane::remote {

bool Waiting::is_crowded() const {
  const std::lock_guard lock(mutex_);
  return line_.size() > 1;
}

void Waiting::tell(const Effect& effect) {
  if (effect.ends_in < look_interval) on_short_time();
  if (!effect.claimable && !effect.more && !effect.room) return;
  const std::lock_guard lock(mutex_);
  if (effect.claimable) line_.call_claimer(*effect.claimable);
  if (effect.more) line_.call_claimer(*effect.more);
  if (effect.room) line_.call_publishers();
}

void Waiting::on_claimable(std::int32_t priority) {
  const std::lock_guard lock(mutex_);
  line_.call_claimer(priority);
}

void Waiting::on_room() {
  const std::lock_guard lock(mutex_);
  line_.call_publishers();
}

void Waiting::on_short_time() {
  const std::lock_guard lock(mutex_);
  look_at_ = Instant::min();
  line_.wake_watcher();
}

void Waiting::on_gap() {
  const std::lock_guard lock(mutex_);
  look_at_ = Instant::min();
  line_.call_all();
}

bool Waiting::sleep(Waiter& waiter, Instant deadline, const std::stop_token& stop) {
  Clock& clock = *backend_.clock();
  for (;;) {
    const Instant now = clock.now();
    bool looks = false;
    Instant until = deadline;
    {
      const std::lock_guard lock(mutex_);
      if (stop.stop_requested() || now >= deadline) return false;
      if (std::exchange(waiter.called, false)) return true;
      if (line_.is_watcher(waiter)) {
        if (now >= alarm_) {
          alarm_ = Instant::max();
          look_at_ = Instant::min();  // To know the next one, if this try is in vain.
          return true;
        }
        looks = now >= look_at_;
        until = std::min({alarm_, look_at_, deadline});
      }
    }
    looks ? look(now) : clock.sleep(waiter.wakeup, until);
  }
}

void Waiting::look(Instant now) {
  Wishes all;
  {
    const std::lock_guard lock(mutex_);
    all = told_ = wishes();
    look_at_ = saturating_add(now, look_interval);
  }
  Look seen;
  try {
    seen = backend_.look(*this, all);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    look_at_ = Instant::min();
    throw;
  }
  const std::lock_guard lock(mutex_);
  const auto over = [&] {
    return saturating_add(saturating_add(now, *seen.ends_in), std::chrono::nanoseconds(1));
  };
  alarm_ = seen.ends_in ? over() : Instant::max();
  if (seen.claimable) line_.call_claimer(*seen.claimable);
  line_.call_publishers();  // Should a word of room have been lost.
}

Wishes Waiting::wishes() const { return {line_.lowest_floor(), line_.has_publisher()}; }

Waiting::InLine::InLine(Waiting& waiting, Waiter& waiter) : waiting_(waiting), waiter_(waiter) {
  const Instant now = waiting_.backend_.clock()->now();
  bool is_news = false;
  {
    const std::lock_guard lock(waiting_.mutex_);
    place_ = waiting_.line_.join(waiter);
    is_news = now >= waiting_.look_at_ || waiting_.wishes() != waiting_.told_;
  }
  try {
    if (is_news) waiting_.look(now);
  } catch (...) {
    leave();
    throw;
  }
}

Waiting::InLine::~InLine() { leave(); }

void Waiting::InLine::leave() {
  const std::lock_guard lock(waiting_.mutex_);
  waiting_.line_.leave(place_);
  if (!waiter_.called) return;
  // It was called and did not try: another may.
  if (waiter_.publishes) {
    waiting_.line_.call_publishers();
  } else {
    waiting_.line_.call_claimer(std::numeric_limits<std::int32_t>::max());
  }
}

}  // namespace fairlane::remote
