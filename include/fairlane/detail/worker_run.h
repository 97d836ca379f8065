// The threads of `Worker::run`: those that work, one that keeps their leases alive and ends them
// when the grace is over, and one that takes from slow handlers what others could do. Not for
// direct use.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fairlane/detail/seat.h"
#include "fairlane/detail/worker_loop.h"
#include "fairlane/detail/worker_parts.h"
#include "fairlane/error.h"

namespace fairlane::detail {

/// One call of `Worker::run`.
template <class Event>
class WorkerRun {
 public:
  explicit WorkerRun(WorkerLoop<Event>& loop)
      : loop_(loop),
        clock_(loop.transport.clock()),
        real_time_(monotonic_clock()),
        interval_(heartbeat_interval(loop.options.visibility)),
        batches_(loop.options.visibility >= shortest_batched ? loop.options.batch : 1) {
    const auto& options = loop.options;
    for (std::size_t index = 0; index < options.threads; ++index) {
      auto id = options.worker_id;
      if (options.threads > 1) id.append("-").append(std::to_string(index + 1));
      seats_.emplace_back(std::move(id), options.high_ratio, batches_);
    }
    beats_.resize(options.threads);
    seen_.resize(options.threads);
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { halt(); });
    std::vector<std::jthread> crew;
    std::jthread steward;
    try {
      crew.reserve(seats_.size());
      if (batches_ > 1) steward = std::jthread([this] { watch_batches(); });
      for (auto& seat : seats_) {
        ++working_;
        crew.emplace_back([this, &seat] { work(seat); });
      }
    } catch (...) {
      // Too few threads: end those that there are. Where it failed, one was counted for nothing.
      halt();
      crew.clear();
      dismiss_steward();
      throw;
    }
    supervise();
    crew.clear();
    dismiss_steward();
  }

 private:
  using Leases = std::vector<Lease<Event>>;

  /// A batch waits this much of its visibility at the most, so shorter ones get none.
  static constexpr Duration shortest_batched = std::chrono::milliseconds(100);
  /// How long a batch may stand still before it is taken away, within once and twice this.
  static constexpr Duration patience = std::chrono::milliseconds(1);
  static constexpr int settle_tries = 3;

  void halt() {
    halting_.request_stop();
    heart_.raise();
  }
  void dismiss_steward() {
    dismissed_ = true;
    steward_.raise();
  }

  // ---- The threads that work.

  void work(Seat<Event>& seat) {
    const auto halting = halting_.get_token();
    Leases incoming;
    std::uint32_t failures = 0;
    while (!halting.stop_requested()) {
      const bool tried = attempt([&] { claim(seat, incoming, halting); });
      if (incoming.empty()) {
        // It failed, or the transport is closed and waits no more.
        if (!halting.stop_requested()) wait_before_next(++failures, halting);
        continue;
      }
      if (tried) failures = 0;
      attempt([&] { work_through(seat, incoming, halting); });
    }
    for (const auto& lease : incoming) hand_back(lease);
    incoming.clear();
    --working_;
    heart_.raise();
  }

  /// Does `call`; whatever it throws is told, and ends nothing.
  template <class Call>
  bool attempt(Call&& call) {
    try {
      call();
      return true;
    } catch (...) {
      loop_.tell_failed(std::current_exception());
      return false;
    }
  }

  void wait_before_next(std::uint32_t failures, const std::stop_token& halting) {
    const auto& options = loop_.options;
    const auto delay = options.backoff.delay(failures, 0, options.seed);
    if (attempt([&] { pause(*clock_, delay, halting); })) return;
    pause(*real_time_, delay, halting);  // It is the clock that fails.
  }

  /// Fills `incoming` unless it has leases from the last ack, waiting if there is nothing.
  void claim(Seat<Event>& seat, Leases& incoming, const std::stop_token& halting) {
    if (!incoming.empty()) return;
    const std::size_t n = seat.pace.size();
    if (loop_.mixes)
      loop_.claim_up_to(seat.mix.take(n), seat.worker_id, loop_.high_floor, incoming);
    if (n > 1) {
      loop_.claim_up_to(n - incoming.size(), seat.worker_id, loop_.options.min_priority, incoming);
    }
    if (!incoming.empty()) return;
    auto lease = loop_.transport.claim_wait(seat.worker_id, loop_.options.visibility,
                                            loop_.options.min_priority, Duration::max(), halting);
    if (lease) loop_.add(incoming, *std::move(lease));
  }

  /// Handles and settles all of `incoming`, which then holds what was claimed with the last ack.
  void work_through(Seat<Event>& seat, Leases& incoming, const std::stop_token& halting) {
    seat.begin(incoming);
    heart_.notice();
    if (seat.batch_size() > 1) steward_.notice();
    incoming.clear();
    const Instant from = seat.pace.measures() ? real_time_->now() : Instant{};
    handle_all(seat, halting);
    if (seat.revoked()) {
      seat.pace.interrupted();
    } else if (seat.pace.measures()) {
      seat.pace.took(real_time_->now() - from);
    }
    settle_done(seat, incoming, halting);
  }

  void handle_all(Seat<Event>& seat, const std::stop_token& halting) {
    const auto token = seat.token();
    for (;;) {
      if (halting.stop_requested()) take_over(seat.revoke());
      const Lease<Event>* const lease = seat.next();
      if (lease == nullptr) return;
      const Outcome outcome = loop_.handle(*lease, token);
      if (std::holds_alternative<Outcome::Done>(outcome.kind())) {
        seat.mark_done();
      } else {
        settle_persistently([&] { loop_.settle(*lease, outcome); }, halting);
      }
    }
  }

  void settle_done(Seat<Event>& seat, Leases& incoming, const std::stop_token& halting) {
    Leases gathered;
    const auto acks = seat.unacked(gathered);
    if (acks.empty()) return;
    if (acks.size() > 1) {
      settle_persistently([&] { ack_all(acks); }, halting);
    } else if (seat.pace.size() > 1 || halting.stop_requested()) {
      settle_persistently([&] { loop_.tell_acked(acks[0], loop_.transport.ack(acks[0])); },
                          halting);
    } else {
      settle_persistently([&] { ack_and_claim(seat, acks[0], incoming); }, halting);
    }
  }

  void ack_all(std::span<const Lease<Event>> leases) {
    const auto answers = loop_.transport.ack_batch(leases);
    for (std::size_t at = 0; at < leases.size(); ++at) loop_.tell_acked(leases[at], answers[at]);
  }

  void ack_and_claim(Seat<Event>& seat, const Lease<Event>& lease, Leases& incoming) {
    const auto& options = loop_.options;
    incoming.reserve(1);  // May fail, and the lease must not be lost by that.
    const auto floor = loop_.looks_high(seat.mix) ? loop_.high_floor : options.min_priority;
    auto next = loop_.transport.ack_claim(lease, seat.worker_id, options.visibility, floor);
    if (next.lease) incoming.push_back(*std::move(next.lease));
    loop_.tell_acked(lease, next.settled);
    for (const auto& each : incoming) loop_.tell_claimed(each);
    if (!incoming.empty() || floor == options.min_priority) return;
    attempt([&] { loop_.claim_up_to(1, seat.worker_id, options.min_priority, incoming); });
  }

  /// A settle that surely did not happen is tried again; each is fenced, so it cannot do harm.
  template <class Settle>
  void settle_persistently(Settle&& settle, const std::stop_token& halting) {
    for (int tries = 1;; ++tries) {
      try {
        return settle();
      } catch (const TransportError& error) {
        loop_.tell_failed(std::current_exception());
        if (error.may_be_stored() || error.code() != ErrorCode::unavailable) return;
      } catch (...) {
        return loop_.tell_failed(std::current_exception());
      }
      if (tries == settle_tries) return;
      wait_before_next(static_cast<std::uint32_t>(tries), halting);
    }
  }

  // ---- For those whose batch was taken from them.

  void take_over(const Taken<Event>& taken) {
    if (!taken.handled.empty()) attempt([&] { ack_all(taken.handled); });
    for (const auto& lease : taken.unstarted) hand_back(lease);
  }

  void hand_back(const Lease<Event>& lease) {
    attempt([&] {
      // Stale: it was settled meanwhile, or is with somebody else already.
      if (loop_.transport.release(lease) == Settled::stale) return;
      loop_.tell([&](auto& observer) { observer.released(lease); });
    });
  }

  /// Takes away what stands behind a handler that is slow by real time, whatever the clock says.
  void watch_batches() {
    while (!dismissed_) {
      steward_.announce();
      bool batches = false;
      for (std::size_t at = 0; at < seats_.size(); ++at) {
        if (attempt([&] { batches |= watch(seats_[at], seen_[at]); })) continue;
        batches = true;
      }
      if (batches) steward_.aware();
      if (dismissed_) return;
      real_time_->sleep(steward_.wakeup(),
                        batches ? saturating_add(real_time_->now(), patience) : Instant::max());
    }
  }

  bool watch(Seat<Event>& seat, Glimpse& seen) {
    const Glimpse now = seat.look();
    const bool watched = now.busy && now.size > 1 && !now.revoked;
    if (watched && now.same_place(seen)) {
      seen = {};
      take_over(seat.revoke());
      return false;
    }
    seen = watched ? now : Glimpse{};
    return watched;
  }

  // ---- The heart: the thread that called `run`.

  struct Beat {
    std::uint64_t fence = 0;
    Instant due = Instant::max();
    std::uint32_t failures = 0;
  };

  void supervise() {
    while (working_ != 0) {
      if (attempt([&] { supervise_once(); })) continue;
      real_time_->sleep(heart_.wakeup(), saturating_add(real_time_->now(), patience));
    }
  }

  void supervise_once() {
    heart_.announce();
    const Instant now = clock_->now();
    if (halting_.stop_requested() && !stopping_) {
      stopping_ = true;
      grace_end_ = saturating_add(now, loop_.options.grace);
      for (auto& seat : seats_) take_over(seat.revoke());
    }
    if (stopping_ && !cut_off_ && grace_end_ != Instant::max() && now >= grace_end_) {
      cut_off_ = true;
      cut_off();
    }
    bool busy = false;
    Instant next = stopping_ && !cut_off_ ? grace_end_ : Instant::max();
    for (std::size_t at = 0; at < seats_.size(); ++at) {
      busy |= beat(seats_[at], beats_[at], now);
      next = std::min(next, beats_[at].due);
    }
    if (working_ == 0) return;
    if (busy) heart_.aware();
    clock_->sleep(heart_.wakeup(), next);
  }

  /// Extends what is due; whether the seat is busy.
  bool beat(Seat<Event>& seat, Beat& beat, Instant now) {
    const Glimpse glimpse = seat.look();
    if (!glimpse.busy || glimpse.fence == 0) {
      beat = {};
      // About to begin its first message: look again rather than be told.
      if (glimpse.busy) beat.due = saturating_add(now, interval_);
      return glimpse.busy;
    }
    if (glimpse.fence != beat.fence) {
      beat = {glimpse.fence, Instant::max(), 0};
      if (glimpse.expires_at != Instant::max() && interval_ != Duration::max()) {
        const auto claimed_at = glimpse.expires_at - loop_.options.visibility.value();
        beat.due = saturating_add(claimed_at, interval_);
      }
    }
    if (beat.due <= now) extend(seat, beat, now);
    return true;
  }

  void extend(Seat<Event>& seat, Beat& beat, Instant now) {
    const auto lease = seat.in_hand(beat.fence);
    if (!lease) return void(beat = {0, now, 0});  // Just finished: look again at once.
    beat.due = saturating_add(now, interval_);
    if (seat.look().size > 1) take_over(seat.revoke());
    try {
      const auto answer = loop_.transport.extend(*lease, loop_.options.visibility);
      beat.failures = 0;
      if (answer == Settled::stale) lose(seat, beat);
    } catch (...) {
      loop_.tell_failed(std::current_exception());
      const auto& options = loop_.options;
      const Duration delay = options.backoff.delay(++beat.failures, lease->seq(), options.seed);
      beat.due = saturating_add(
          now, std::min(interval_, std::max(delay, Duration(std::chrono::milliseconds(1)))));
    }
  }

  /// The lease was found stale: because it is lost, or because its own handler just ended.
  void lose(Seat<Event>& seat, Beat& beat) {
    auto taken = seat.revoke_to_stop(beat.fence);
    if (!taken.in_hand) return;
    beat.due = Instant::max();
    take_over(taken);
    loop_.tell([&](auto& observer) { observer.lost(*taken.in_hand); });
    taken.stop.request_stop();
  }

  /// The grace is over: who still works is told, and its message is handed back meanwhile.
  void cut_off() {
    std::vector<Taken<Event>> ends;
    ends.reserve(seats_.size());
    for (auto& seat : seats_) ends.push_back(seat.revoke_to_stop());
    for (auto& end : ends) {
      if (end.in_hand) end.stop.request_stop();
    }
    for (const auto& end : ends) {
      take_over(end);
      if (end.in_hand) hand_back(*end.in_hand);
    }
    interval_ = Duration::max();  // What was handed back is not kept alive.
    for (auto& beat : beats_) beat.due = Instant::max();
  }

  WorkerLoop<Event>& loop_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Clock> real_time_;
  Duration interval_;
  const std::size_t batches_;
  std::deque<Seat<Event>> seats_;

  std::stop_source halting_;
  std::atomic<std::size_t> working_{0};
  std::atomic<bool> dismissed_{false};
  Alarm heart_;
  Alarm steward_;

  // Of the heart alone.
  std::vector<Beat> beats_;
  bool stopping_ = false;
  bool cut_off_ = false;
  Instant grace_end_ = Instant::max();

  std::vector<Glimpse> seen_;  // Of the steward alone.
};

}  // namespace fairlane::detail
