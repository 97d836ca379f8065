// One message from claim to settle, as `step` and the threads of `run` do it. Not for direct use.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fairlane/detail/worker_parts.h"
#include "fairlane/transport.h"
#include "fairlane/worker.h"

namespace fairlane::detail {

/// What all threads of a worker share: all of it constant, so that sharing costs nothing.
template <class Event>
class WorkerLoop {
 public:
  using Handler = typename Worker<Event>::Handler;
  using Leases = std::vector<Lease<Event>>;

  WorkerLoop(Transport<Event>& borrowed, Handler handler, WorkerOptions the_options,
             WorkerObserver<Event>* observer)
      : transport(borrowed),
        options(std::move(the_options)),
        high_floor(std::max(options.min_priority, options.priority_threshold)),
        mixes(options.high_ratio > 0 && high_floor > options.min_priority),
        handler_(std::move(handler)),
        observer_(observer),
        step_mix_(options.high_ratio) {
    check_worker_options(options);
  }

  bool step() {
    auto lease = claim_now(step_mix_, options.worker_id);
    if (!lease) return false;
    tell_claimed(*lease);
    settle(*lease, handle(*lease, std::stop_token()));
    return true;
  }

  /// Whether the next claim looks at the high groups first.
  bool looks_high(ClaimMix& mix) const { return mixes && mix.take(1) == 1; }

  /// One claim that does not wait.
  std::optional<Lease<Event>> claim_now(ClaimMix& mix, const std::string& worker_id) {
    if (looks_high(mix)) {
      auto lease = transport.claim(worker_id, options.visibility, high_floor);
      if (lease) return lease;
    }
    return transport.claim(worker_id, options.visibility, options.min_priority);
  }

  /// Adds up to `n` leases to `incoming`, without waiting.
  void claim_up_to(std::size_t n, const std::string& worker_id, std::int32_t floor,
                   Leases& incoming) {
    if (n == 0) return;
    const Duration visibility = options.visibility;
    if (n == 1) {
      if (auto lease = transport.claim(worker_id, visibility, floor)) {
        add(incoming, *std::move(lease));
      }
      return;
    }
    auto leases = transport.claim_batch(n, worker_id, visibility, floor);
    for (const auto& lease : leases) tell_claimed(lease);
    if (incoming.empty()) {
      incoming = std::move(leases);
    } else {
      incoming.insert(incoming.end(), std::make_move_iterator(leases.begin()),
                      std::make_move_iterator(leases.end()));
    }
  }
  void add(Leases& incoming, Lease<Event>&& lease) {
    tell_claimed(lease);
    incoming.push_back(std::move(lease));
  }
  void tell_claimed(const Lease<Event>& lease) {
    tell([&](auto& observer) { observer.claimed(lease); });
  }

  Outcome handle(const Lease<Event>& lease, const std::stop_token& stop) const {
    try {
      return handler_(lease, stop);
    } catch (...) {
      return Outcome::failed(describe(std::current_exception()));
    }
  }

  /// Errors: those of the transport.
  void settle(const Lease<Event>& lease, const Outcome& outcome) {
    std::visit([&](const auto& kind) { settle_as(lease, kind); }, outcome.kind());
  }

  /// Tells what `answer` means, or that it came too late.
  template <class Tell>
  void tell_settled(const Lease<Event>& lease, Settled answer, Tell&& what) const {
    tell([&](auto& observer) {
      if (answer == Settled::stale) {
        observer.stale(lease);
      } else {
        what(observer);
      }
    });
  }
  void tell_acked(const Lease<Event>& lease, Settled answer) const {
    tell_settled(lease, answer, [&](auto& observer) { observer.done(lease); });
  }
  void tell_failed(const std::exception_ptr& error) const {
    tell([&](auto& observer) { observer.failed(error); });
  }

  /// Calls the observer, if there is one; what it throws is its own affair.
  template <class Call>
  void tell(Call&& call) const {
    if (observer_ == nullptr) return;
    try {
      call(*observer_);
    } catch (...) {
    }
  }

  Transport<Event>& transport;
  const WorkerOptions options;
  const std::int32_t high_floor;
  const bool mixes;

 private:
  void settle_as(const Lease<Event>& lease, const Outcome::Done&) {
    tell_acked(lease, transport.ack(lease));
  }
  void settle_as(const Lease<Event>& lease, const Outcome::Retry& retry) {
    put_back(lease, retry.delay, {});
  }
  void settle_as(const Lease<Event>& lease, const Outcome::Failed& failed) {
    put_back(lease, options.backoff.delay(lease.attempt(), lease.seq(), options.seed), failed.why);
  }
  void settle_as(const Lease<Event>& lease, const Outcome::Dead& dead) {
    tell_settled(lease, transport.reject(lease, dead.reason),
                 [&](auto& observer) { observer.dead(lease, dead.reason); });
  }
  void settle_as(const Lease<Event>& lease, const Outcome::Released&) {
    tell_settled(lease, transport.release(lease),
                 [&](auto& observer) { observer.released(lease); });
  }
  void put_back(const Lease<Event>& lease, Duration delay, std::string_view why) {
    tell_settled(lease, transport.nack(lease, delay),
                 [&](auto& observer) { observer.retried(lease, delay, why); });
  }

  const Handler handler_;
  WorkerObserver<Event>* const observer_;
  ClaimMix step_mix_;
};

/// Of worker_run.h, which may be the first to be included.
template <class Event>
class WorkerRun;

}  // namespace fairlane::detail

#include "fairlane/detail/worker_run.h"

namespace fairlane {

template <class Event>
template <class Callable>
Worker<Event>::Worker(Transport<Event>& transport, Callable handler, WorkerOptions options,
                      WorkerObserver<Event>* observer)
    : loop_(std::make_unique<detail::WorkerLoop<Event>>(transport, adapt(std::move(handler)),
                                                        std::move(options), observer)) {}

template <class Event>
Worker<Event>::~Worker() = default;

template <class Event>
bool Worker<Event>::step() {
  return loop_->step();
}

template <class Event>
void Worker<Event>::run(std::stop_token stop) {
  detail::WorkerRun<Event>(*loop_).run(std::move(stop));
}

template <class Event>
template <class Callable>
typename Worker<Event>::Handler Worker<Event>::adapt(Callable callable) {
  using Argument = const Lease<Event>&;
  if constexpr (!std::copy_constructible<Callable>) {
    // `std::function` copies; all threads call one object anyhow.
    return adapt([shared = std::make_shared<Callable>(std::move(callable))](
                     Argument lease, const std::stop_token& stop) {
      if constexpr (std::invocable<Callable&, Argument, const std::stop_token&>) {
        return (*shared)(lease, stop);
      } else {
        return (*shared)(lease);
      }
    });
  } else if constexpr (!std::invocable<Callable&, Argument, const std::stop_token&>) {
    return adapt([callable = std::move(callable)](Argument lease, const std::stop_token&) mutable {
      return callable(lease);
    });
  } else if constexpr (std::is_void_v<
                           std::invoke_result_t<Callable&, Argument, const std::stop_token&>>) {
    return [callable = std::move(callable)](Argument lease, const std::stop_token& stop) mutable {
      callable(lease, stop);
      return Outcome::done();
    };
  } else {
    return callable;
  }
}

}  // namespace fairlane
