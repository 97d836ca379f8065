// Each verb: judge the arguments, read the clock, one critical section, then destroy and wake.
#include "fairlane/detail/memory_store.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "fairlane/error.h"
#include "memory/store_state.h"

namespace fairlane::detail {

using memory::Removed;
using memory::Section;
using memory::StoreState;
using memory::Waiter;

namespace {

[[noreturn]] void throw_full(const QueueRules& rules) {
  throw TransportError(ErrorCode::full, "no room: at most " + std::to_string(rules.max_messages) +
                                            " messages in all and " +
                                            std::to_string(rules.max_group_messages) +
                                            " in a group (0: no limit)");
}

[[noreturn]] void throw_not_found(std::uint64_t seq) {
  throw TransportError(ErrorCode::not_found, "no dead letter has seq " + std::to_string(seq));
}

/// A claim that was granted at once, or somebody who waits, or neither: there is nothing to wait
/// for.
struct Waiting {
  std::optional<Grant> grant = std::nullopt;
  std::shared_ptr<Waiter> waiter = nullptr;
  Instant sleep_until = Instant::max();
};

Waiting enroll(StoreState& state, std::string_view worker_id, Duration visibility,
               std::int32_t min_priority, Duration timeout,
               std::function<void()> notify = nullptr) {
  auto waiter = std::make_shared<Waiter>();
  waiter->worker_id = worker_id;
  waiter->visibility = visibility;
  waiter->min_priority = min_priority;
  waiter->notify = std::move(notify);
  const Instant now = state.clock->now();
  waiter->deadline = saturating_add(now, timeout);
  const Section section(state, now);
  if (auto grant = state.scheduler.claim(worker_id, visibility, min_priority)) return {grant};
  if (state.closed || timeout == Duration()) return {};
  state.waiters.enroll(waiter);
  const Instant sleep_until = state.waiters.plan_sleep(*waiter, state.scheduler);
  return {std::nullopt, std::move(waiter), sleep_until};
}

void check_store(const LeaseHandle& lease, std::uint64_t store) {
  if (lease.store == store) return;
  throw std::invalid_argument("the lease of seq " + std::to_string(lease.seq) +
                              " was given by another store");
}

}  // namespace

MemoryStore::MemoryStore(const QueueRules& rules, std::shared_ptr<Clock> clock,
                         DestroyNode destroy) {
  if (clock == nullptr) throw std::invalid_argument("clock is null");
  state_ = std::make_unique<StoreState>(rules, std::move(clock), destroy);
}

MemoryStore::~MemoryStore() { clear(); }

const std::shared_ptr<Clock>& MemoryStore::clock() const noexcept { return state_->clock; }
const QueueRules& MemoryStore::rules() const noexcept { return state_->rules; }

std::uint64_t MemoryStore::publish(const NodePublication& publication) {
  StoreState& state = *state_;
  check_group_id(publication.group_id);
  if (!state.publish_needs_now) {
    const Instant recent = state.clock->recent();
    const Section section(state);
    state.scheduler.stamp(recent);
    return *state.scheduler.publish(publication);
  }
  const Instant now = state.clock->now();
  const Section section(state, now);
  const auto seq = state.scheduler.publish(publication);
  if (!seq) throw_full(state.rules);
  return *seq;
}

std::vector<std::uint64_t> MemoryStore::publish_batch(
    std::span<const NodePublication> publications) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const Section section(state, now);
  auto seqs = state.scheduler.publish_batch(publications);
  if (!seqs) throw_full(state.rules);
  return *std::move(seqs);
}

std::optional<std::uint64_t> MemoryStore::publish_wait(const NodePublication& publication,
                                                       Duration timeout, std::stop_token stop) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const auto waiter = std::make_shared<Waiter>();
  waiter->publication = &publication;
  waiter->deadline = saturating_add(now, timeout);
  Instant sleep_until;
  {
    const Section section(state, now);
    if (const auto seq = state.scheduler.publish(publication)) return seq;
    if (state.closed) throw TransportError(ErrorCode::closed, "closed, and there is no room");
    if (timeout == Duration() || stop.stop_requested()) return std::nullopt;
    state.waiters.enroll(waiter);
    sleep_until = state.waiters.plan_sleep(*waiter, state.scheduler);
  }
  if (state.wait(waiter, sleep_until, stop)) return waiter->seq;
  const Section section(state);
  if (state.closed) throw TransportError(ErrorCode::closed, "closed while it waited for room");
  return std::nullopt;
}

std::optional<Grant> MemoryStore::claim(std::string_view worker_id, Duration visibility,
                                        std::int32_t min_priority) {
  StoreState& state = *state_;
  check_duration(visibility, "visibility");
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.claim(worker_id, visibility, min_priority);
}

std::vector<Grant> MemoryStore::claim_batch(std::size_t n, std::string_view worker_id,
                                            Duration visibility, std::int32_t min_priority) {
  StoreState& state = *state_;
  check_duration(visibility, "visibility");
  std::vector<Grant> grants;
  grants.reserve(std::clamp<std::size_t>(n, 1, 64));
  const Instant now = state.clock->now();
  const Section section(state, now);
  while (grants.size() < n) {
    // May fail, and a lease must not be lost by that.
    if (grants.size() == grants.capacity()) grants.reserve(2 * grants.size());
    auto grant = state.scheduler.claim(worker_id, visibility, min_priority);
    if (!grant) break;
    grants.push_back(*grant);
  }
  return grants;
}

std::optional<Grant> MemoryStore::claim_wait(std::string_view worker_id, Duration visibility,
                                             std::int32_t min_priority, Duration timeout,
                                             std::stop_token stop) {
  check_duration(timeout, "timeout");
  if (auto grant = claim(worker_id, visibility, min_priority)) return grant;
  if (timeout == Duration() || stop.stop_requested()) return std::nullopt;
  StoreState& state = *state_;
  const Waiting waiting = enroll(state, worker_id, visibility, min_priority, timeout);
  if (waiting.grant || waiting.waiter == nullptr) return waiting.grant;
  if (!state.wait(waiting.waiter, waiting.sleep_until, stop)) return std::nullopt;
  return std::exchange(waiting.waiter->grant, std::nullopt);
}

PendingClaim MemoryStore::start_claim(std::string_view worker_id, Duration visibility,
                                      std::int32_t min_priority, Duration timeout,
                                      std::function<void()> notify) {
  check_duration(visibility, "visibility");
  check_duration(timeout, "timeout");
  if (notify == nullptr) throw std::invalid_argument("notify is null");
  Waiting waiting =
      enroll(*state_, worker_id, visibility, min_priority, timeout, std::move(notify));
  return PendingClaim(*state_, std::move(waiting.waiter), waiting.grant, waiting.sleep_until);
}

Settled MemoryStore::ack(const LeaseHandle& lease) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  Removed removed(state);
  if (!state.ack_needs_now) {
    const Section section(state);
    return state.scheduler.ack(lease, removed.node);
  }
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.ack(lease, removed.node);
}

std::vector<Settled> MemoryStore::ack_batch(std::span<const LeaseHandle> leases) {
  StoreState& state = *state_;
  for (const auto& lease : leases) check_store(lease, state.store);
  Removed removed(state);
  removed.nodes.reserve(leases.size());
  std::vector<Settled> settled;
  settled.reserve(leases.size());
  const Instant now = state.clock->now();
  const Section section(state, now);
  for (const auto& lease : leases) {
    MessageNode* node = nullptr;
    settled.push_back(state.scheduler.ack(lease, node));
    if (node != nullptr) removed.nodes.push_back(node);
  }
  return settled;
}

Settled MemoryStore::ack_claim(const LeaseHandle& lease, std::string_view worker_id,
                               Duration visibility, std::int32_t min_priority,
                               std::optional<Grant>& grant) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  check_duration(visibility, "visibility");
  Removed removed(state);
  const Instant now = state.clock->now();
  const Section section(state, now);
  const auto settled = state.scheduler.ack(lease, removed.node);
  grant = state.scheduler.claim(worker_id, visibility, min_priority);
  return settled;
}

Settled MemoryStore::nack(const LeaseHandle& lease, Duration delay) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  check_duration(delay, "delay");
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.nack(lease, delay);
}

Settled MemoryStore::extend(const LeaseHandle& lease, Duration visibility) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  check_duration(visibility, "visibility");
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.extend(lease, visibility);
}

Settled MemoryStore::release(const LeaseHandle& lease) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.release(lease);
}

Settled MemoryStore::reject(const LeaseHandle& lease, std::string_view reason) {
  StoreState& state = *state_;
  check_store(lease, state.store);
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.reject(lease, reason);
}

void MemoryStore::suspend(std::string_view group_id) {
  StoreState& state = *state_;
  check_group_id(group_id);
  const Instant now = state.clock->now();
  const Section section(state, now);
  state.scheduler.suspend(group_id);
}

void MemoryStore::resume(std::string_view group_id) {
  StoreState& state = *state_;
  check_group_id(group_id);
  const Instant now = state.clock->now();
  const Section section(state, now);
  state.scheduler.resume(group_id);
}

std::uint64_t MemoryStore::terminate(std::string_view group_id) {
  StoreState& state = *state_;
  check_group_id(group_id);
  const Instant now = state.clock->now();
  Removed removed(state);
  const Section section(state, now);
  removed.chain = state.scheduler.terminate(group_id);
  return removed.chain.messages;
}

Cancelled MemoryStore::cancel(std::string_view group_id, MessageNode* event) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  Removed removed(state);
  const Section section(state, now);
  const auto seq = state.scheduler.cancel(group_id, event, removed.chain);
  if (!seq) throw_full(state.rules);
  return {removed.chain.messages, *seq};
}

GroupInfo MemoryStore::inspect(std::string_view group_id) {
  StoreState& state = *state_;
  check_group_id(group_id);
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.inspect(group_id);
}

std::vector<std::string> MemoryStore::groups(const GroupQuery& query) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.groups(query);
}

std::vector<QueuedNode> MemoryStore::peek(std::string_view group_id, std::size_t limit) {
  StoreState& state = *state_;
  check_group_id(group_id);
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.peek(group_id, limit);
}

Stats MemoryStore::stats() {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.stats();
}

std::vector<DeadNode> MemoryStore::dead_letters(std::size_t limit, std::uint64_t after_seq) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const Section section(state, now);
  return state.scheduler.dead_letters(limit, after_seq);
}

std::uint64_t MemoryStore::redrive(std::uint64_t seq) {
  StoreState& state = *state_;
  const Instant now = state.clock->now();
  const Section section(state, now);
  std::uint64_t new_seq = 0;
  switch (state.scheduler.redrive(seq, new_seq)) {
    case scheduler::Scheduler::Redriven::done:
      return new_seq;
    case scheduler::Scheduler::Redriven::full:
      throw_full(state.rules);
    case scheduler::Scheduler::Redriven::not_found:
      break;
  }
  throw_not_found(seq);
}

void MemoryStore::drop_dead(std::uint64_t seq) {
  StoreState& state = *state_;
  Removed removed(state);
  const Instant now = state.clock->now();
  const Section section(state, now);
  removed.node = state.scheduler.drop_dead(seq);
  if (removed.node == nullptr) throw_not_found(seq);
}

void MemoryStore::visit_nodes(void (*visit)(MessageNode*, void*), void* context) noexcept {
  StoreState& state = *state_;
  // No section: nothing changes, so nobody is served, and nothing of the host's is called.
  state.mutex.lock();
  state.scheduler.for_each_node([&](MessageNode* node) { visit(node, context); });
  state.mutex.unlock();
}

void MemoryStore::close() {
  {
    const Section section(*state_);
    state_->closed = true;
  }
  wake_waiters();
}

void MemoryStore::wake_waiters() {
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    const Section section(*state_);
    waiters = state_->waiters.all();
  }
  for (const auto& waiter : waiters) waiter->wake();
}

void MemoryStore::reopen() {
  StoreState& state = *state_;
  const Section section(state);
  state.scheduler.reset_totals();
  state.closed = false;
}

void MemoryStore::clear() noexcept {
  StoreState& state = *state_;
  for (bool more = true; more;) {
    Removed removed(state);
    const Section section(state);
    removed.chain = state.scheduler.take_all();
    more = removed.chain.messages != 0;
  }
}

}  // namespace fairlane::detail
