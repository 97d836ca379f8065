#include "memory/store_state.h"

#include <atomic>

namespace fairlane::memory {

namespace {

// Identities of stores, so that a lease of one is never taken for a lease of another.
std::uint64_t next_store() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

StoreState::StoreState(const QueueRules& the_rules, std::shared_ptr<Clock> the_clock,
                       detail::DestroyNode destroy_node)
    : clock(std::move(the_clock)),
      destroy(destroy_node),
      rules(the_rules),
      store(next_store()),
      // Without a limit of attempts a lease that ran out can still be acked.
      ack_needs_now(the_rules.max_attempts != 0),
      // Without limits a publish is never refused, and no group was drained by the clock alone.
      publish_needs_now(the_rules.max_attempts != 0 || the_rules.max_messages != 0 ||
                        the_rules.max_group_messages != 0),
      scheduler(the_rules, store) {}

void StoreState::serve_now() { const Section section(*this, clock->now()); }

StoreState::Look StoreState::look(const std::shared_ptr<Waiter>& waiter, bool stopped) {
  if (waiter->served.load(std::memory_order_acquire)) return {Look::Found::served};
  const Instant now = clock->now();
  Wakes wakes;
  Look look{Look::Found::nothing};
  {
    const Section section(*this, now);
    waiters.serve(scheduler, wakes);  // What ran out just now may be for this very waiter.
    if (waiter->served.load(std::memory_order_relaxed)) {
      look.found = Look::Found::served;
    } else if (closed || stopped || now >= waiter->deadline) {
      look.found = Look::Found::over;
      waiters.leave(*waiter);
    } else {
      look.next = waiters.plan_sleep(*waiter, scheduler);
    }
  }
  wakes.raise_all();
  return look;
}

bool StoreState::withdraw(Waiter& waiter) {
  const Section section(*this);
  if (waiter.served.load(std::memory_order_relaxed)) return false;
  waiters.leave(waiter);
  return true;
}

bool StoreState::wait(const std::shared_ptr<Waiter>& waiter, Instant sleep_until,
                      const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&] { waiter->wakeup.raise(); });
  try {
    for (;;) {
      clock->sleep(waiter->wakeup, sleep_until);
      const Look seen = look(waiter, stop.stop_requested());
      if (seen.found != Look::Found::nothing) return seen.found == Look::Found::served;
      sleep_until = seen.next;
    }
  } catch (...) {
    // The clock failed. What was done for the waiter already counts all the same.
    if (withdraw(*waiter)) throw;
    return true;
  }
}

void Section::serve_and_unlock() noexcept {
  Wakes wakes;
  bool serve_later = false;
  if (has_now_) {
    state_.waiters.serve(state_.scheduler, wakes);
  } else {
    serve_later = state_.waiters.could_serve(state_.scheduler);
  }
  state_.mutex.unlock();
  wakes.raise_all();
  if (!serve_later) return;
  try {
    state_.serve_now();
  } catch (...) {
    // The clock failed, and not for the caller's sake. Whoever waits is served by the next call.
  }
}

}  // namespace fairlane::memory
