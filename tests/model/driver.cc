#include "driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fairlane/in_memory_transport.h"

namespace fairlane::model {
namespace {

Duration milliseconds(std::int64_t count) { return std::chrono::milliseconds(count); }

QueueOptions options(const QueueRules& rules) {
  return {rules.rotation,     rules.when_exhausted,     rules.max_attempts,
          rules.max_messages, rules.max_group_messages, rules.max_event_bytes};
}

GroupView view(const GroupInfo& info) {
  if (info.state == GroupState::absent) return {.suspended = info.suspended};
  return {info.state,           info.suspended, info.messages,  info.priority,
          info.last_claimed_at, info.until,     info.worker_id, info.attempt};
}

}  // namespace

Subject open_memory(const QueueRules& rules) {
  auto clock = std::make_shared<fairlane::testing::ManualClock>();
  auto transport = std::make_unique<InMemoryTransport<Bytes>>(
      InMemoryOptions<Bytes>{.queue = options(rules), .clock = clock});
  // By the object itself: it may be wrapped meanwhile.
  auto* const memory = transport.get();
  return {std::move(transport), std::move(clock), [memory](auto&) { memory->reopen(); }};
}

Outcome Driver::apply(const Operation& operation) {
  try {
    return carry_out(operation);
  } catch (const std::invalid_argument&) {
    return {.error = "invalid_argument"};
  } catch (const TransportError& error) {
    return {.error = std::string(fairlane::to_string(error.code()))};
  }
}

bool Driver::has_leases_for(const Operation& operation) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(operation.leases.begin(), operation.leases.end(),
                     [&](std::uint64_t name) { return leases_.contains(name); });
}

Outcome Driver::carry_out(const Operation& operation) {
  auto& transport = *subject_.transport;
  switch (operation.verb) {
    case Verb::advance:
      subject_.clock->advance(milliseconds(operation.ms));
      return {};
    case Verb::publish:
      return {.seqs = {transport.publish(operation.group, operation.event, operation.priority)}};
    case Verb::publish_wait: {
      Bytes event = operation.event;
      const auto seq =
          transport.publish_wait(operation.group, std::move(event), operation.priority, Duration{});
      if (!seq) return {};
      return {.seqs = {*seq}};
    }
    case Verb::publish_batch: {
      std::vector<Publication<Bytes>> batch;
      for (const auto& message : operation.messages) {
        batch.push_back({message.group, message.event, message.priority});
      }
      return {.seqs = transport.publish_batch(batch)};
    }
    case Verb::claim:
    case Verb::claim_wait:
    case Verb::claim_batch:
      return claim(operation);
    case Verb::close:
      transport.close();
      return {};
    case Verb::reopen:
      subject_.reopen(subject_.transport);
      return {};
    default:
      return operation.leases.empty() && operation.verb != Verb::ack_batch ? change(operation)
                                                                           : settle(operation);
  }
}

Outcome Driver::claim(const Operation& operation) {
  auto& transport = *subject_.transport;
  const auto visibility = milliseconds(operation.ms);
  Outcome outcome;
  if (operation.verb == Verb::claim_batch) {
    const auto leases =
        transport.claim_batch(operation.count, operation.text, visibility, operation.priority);
    for (std::size_t i = 0; i < leases.size(); ++i) {
      outcome.leases.push_back(keep(operation.as + i, leases[i]));
    }
    return outcome;
  }
  const auto lease =
      operation.verb == Verb::claim
          ? transport.claim(operation.text, visibility, operation.priority)
          : transport.claim_wait(operation.text, visibility, operation.priority, Duration{});
  if (lease) outcome.leases.push_back(keep(operation.as, *lease));
  return outcome;
}

Outcome Driver::settle(const Operation& operation) {
  auto& transport = *subject_.transport;
  if (operation.verb == Verb::ack_batch) {
    std::vector<Lease<Bytes>> leases;
    for (const auto name : operation.leases) leases.push_back(named(name));
    return {.settled = transport.ack_batch(leases)};
  }
  const auto lease = named(operation.leases.front());
  const auto duration = milliseconds(operation.ms);
  switch (operation.verb) {
    case Verb::ack:
      return {.settled = {transport.ack(lease)}};
    case Verb::ack_claim: {
      const auto both = transport.ack_claim(lease, operation.text, duration, operation.priority);
      Outcome outcome{.settled = {both.settled}};
      if (both.lease) outcome.leases.push_back(keep(operation.as, *both.lease));
      return outcome;
    }
    case Verb::nack:
      return {.settled = {transport.nack(lease, duration)}};
    case Verb::extend:
      return {.settled = {transport.extend(lease, duration)}};
    case Verb::release:
      return {.settled = {transport.release(lease)}};
    case Verb::reject:
      return {.settled = {transport.reject(lease, operation.text)}};
    default:
      throw std::logic_error("not a settle");
  }
}

Outcome Driver::change(const Operation& operation) {
  auto& control = subject_.transport->control();
  switch (operation.verb) {
    case Verb::suspend:
      control.suspend(operation.group);
      return {};
    case Verb::resume:
      control.resume(operation.group);
      return {};
    case Verb::terminate:
      return {.dropped = control.terminate(operation.group)};
    case Verb::cancel: {
      Bytes event = operation.event;
      const auto cancelled = control.cancel(operation.group, std::move(event));
      return {.seqs = {cancelled.seq}, .dropped = cancelled.dropped};
    }
    case Verb::redrive:
      return {.seqs = {control.redrive(operation.seq)}};
    case Verb::drop_dead:
      control.drop_dead(operation.seq);
      return {};
    default:
      return list(operation);
  }
}

Outcome Driver::list(const Operation& operation) {
  auto& control = subject_.transport->control();
  Outcome outcome;
  switch (operation.verb) {
    case Verb::inspect:
      outcome.group = view(control.inspect(operation.group));
      break;
    case Verb::groups: {
      GroupQuery query{.suspended = operation.flag, .limit = operation.count};
      if (!operation.text.empty()) query.after = operation.text;
      outcome.groups = control.groups(query);
      break;
    }
    case Verb::peek:
      for (const auto& message : control.peek(operation.group, operation.count)) {
        outcome.messages.push_back({message.seq, *message.event, message.attempts});
      }
      break;
    case Verb::stats:
      outcome.stats = control.stats();
      break;
    case Verb::dead_letters:
      for (auto& letter : control.dead_letters(operation.count, operation.seq)) {
        outcome.dead.push_back({letter.seq, letter.group_id, *letter.event, letter.attempts,
                                letter.priority, letter.worker_id, letter.reason});
      }
      break;
    default:
      throw std::logic_error("not a listing");
  }
  return outcome;
}

LeaseView Driver::keep(std::uint64_t name, const Lease<Bytes>& lease) {
  const std::lock_guard lock(mutex_);
  leases_.insert_or_assign(name, lease);
  return {lease.seq(), std::string(lease.group_id()), lease.event(), lease.attempt(),
          lease.expires_at()};
}

Lease<Bytes> Driver::named(std::uint64_t name) const {
  const std::lock_guard lock(mutex_);
  return leases_.at(name);
}

}  // namespace fairlane::model
