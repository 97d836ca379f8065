// A transport that fails and dawdles as your test tells it to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/transport.h"

namespace fairlane::testing {

/// The calls that can be made to fail.
enum class Verb {
  publish,
  publish_batch,
  publish_wait,
  claim,
  claim_batch,
  claim_wait,
  ack,
  ack_batch,
  ack_claim,
  nack,
  extend,
  release,
  reject,
};

/// What shall befall one call.
struct Fault {
  enum class Kind {
    none,    ///< it goes through
    before,  ///< nothing happens: `unavailable`
    after,   ///< it happens and its answer is lost: `outcome_unknown`
  };
  Kind kind = Kind::none;
  Duration delay = {};  ///< slept on the transport's clock before anything else
  /// Called before the call, after the delay; for a test that acts or waits at that moment.
  std::function<void()> meanwhile = nullptr;
};

/// Decides what befalls the `call`th call (1: the first) of `verb`.
using FaultPlan = std::function<Fault(Verb verb, std::uint64_t call)>;

/// Fails a share of the calls at random, half of them before and half after they happen: the same
/// calls for the same seed, however the threads interleave.
FaultPlan random_faults(std::uint64_t seed, double share);

/// Wraps a transport and injects faults, to see that your code loses nothing when its queue fails.
///
///     InMemoryTransport<Job> queue;
///     FaultyTransport<Job> faulty(queue, [](Verb verb, std::uint64_t call) {
///       return Fault{verb == Verb::ack && call == 1 ? Fault::Kind::after : Fault::Kind::none};
///     });
///     Worker<Job> worker(faulty, handler);   // its first ack happens, but seems to have failed
///
/// A publish that fails after it happened leaves the caller an event that was moved from: it is
/// stored, and no caller can take it back. `control`, `clock` and `close` are those of the
/// transport within, and never fail.
///
/// Threads:   as Transport; the plan is called from any thread, one at a time.
/// Lifetime:  borrows the transport within.
template <class Event>
class FaultyTransport final : public Transport<Event> {
 public:
  explicit FaultyTransport(Transport<Event>& inner, FaultPlan plan = nullptr)
      : inner_(inner), plan_(std::move(plan)) {}

  /// From now on; null: no faults. Calls already under way keep what befalls them.
  void set_plan(FaultPlan plan) {
    const std::lock_guard lock(mutex_);
    plan_ = std::move(plan);
  }
  /// How often `verb` was called, failed calls included.
  std::uint64_t calls(Verb verb) const {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(verb);
    return found == calls_.end() ? 0 : found->second;
  }

  using Transport<Event>::publish;

  std::uint64_t publish(std::string_view group_id, Event&& event,
                        std::int32_t priority = 0) override {
    return pass(Verb::publish,
                [&] { return inner_.publish(group_id, std::move(event), priority); });
  }
  std::vector<std::uint64_t> publish_batch(std::span<Publication<Event>> messages) override {
    return pass(Verb::publish_batch, [&] { return inner_.publish_batch(messages); });
  }
  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Event&& event,
                                            std::int32_t priority = 0,
                                            Duration timeout = Duration::max(),
                                            std::stop_token stop = {}) override {
    return pass(Verb::publish_wait, [&] {
      return inner_.publish_wait(group_id, std::move(event), priority, timeout, stop);
    });
  }
  std::optional<Lease<Event>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority = 0) override {
    return pass(Verb::claim, [&] { return inner_.claim(worker_id, visibility, min_priority); });
  }
  std::vector<Lease<Event>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility,
                                        std::int32_t min_priority = 0) override {
    return pass(Verb::claim_batch,
                [&] { return inner_.claim_batch(n, worker_id, visibility, min_priority); });
  }
  std::optional<Lease<Event>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority = 0,
                                         Duration timeout = Duration::max(),
                                         std::stop_token stop = {}) override {
    return pass(Verb::claim_wait, [&] {
      return inner_.claim_wait(worker_id, visibility, min_priority, timeout, stop);
    });
  }
  Settled ack(const Lease<Event>& lease) override {
    return pass(Verb::ack, [&] { return inner_.ack(lease); });
  }
  std::vector<Settled> ack_batch(std::span<const Lease<Event>> leases) override {
    return pass(Verb::ack_batch, [&] { return inner_.ack_batch(leases); });
  }
  AckedAndClaimed<Event> ack_claim(const Lease<Event>& lease, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority = 0) override {
    return pass(Verb::ack_claim,
                [&] { return inner_.ack_claim(lease, worker_id, visibility, min_priority); });
  }
  Settled nack(const Lease<Event>& lease, Duration delay = {}) override {
    return pass(Verb::nack, [&] { return inner_.nack(lease, delay); });
  }
  Settled extend(const Lease<Event>& lease, Duration visibility) override {
    return pass(Verb::extend, [&] { return inner_.extend(lease, visibility); });
  }
  Settled release(const Lease<Event>& lease) override {
    return pass(Verb::release, [&] { return inner_.release(lease); });
  }
  Settled reject(const Lease<Event>& lease, std::string_view reason = {}) override {
    return pass(Verb::reject, [&] { return inner_.reject(lease, reason); });
  }
  void close() override { inner_.close(); }
  Control<Event>& control() override { return inner_.control(); }
  const std::shared_ptr<Clock>& clock() const override { return inner_.clock(); }

 private:
  Fault next_fault(Verb verb) {
    const std::lock_guard lock(mutex_);
    const auto call = ++calls_[verb];
    return plan_ ? plan_(verb, call) : Fault{};
  }

  void dawdle(Duration delay) {
    Wakeup wakeup;
    const Instant until = saturating_add(clock()->now(), delay);
    while (clock()->now() < until) clock()->sleep(wakeup, until);
  }

  template <class Call>
  auto pass(Verb verb, Call&& call) {
    const Fault fault = next_fault(verb);
    if (fault.delay > Duration()) dawdle(fault.delay);
    if (fault.meanwhile) fault.meanwhile();
    if (fault.kind == Fault::Kind::before) {
      throw TransportError(ErrorCode::unavailable, "injected: the call was not made");
    }
    auto answer = call();
    if (fault.kind == Fault::Kind::after) {
      throw TransportError(ErrorCode::outcome_unknown, "injected: the answer was lost");
    }
    return answer;
  }

  Transport<Event>& inner_;
  mutable std::mutex mutex_;
  FaultPlan plan_;
  std::map<Verb, std::uint64_t> calls_;
};

}  // namespace fairlane::testing
