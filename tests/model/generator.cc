#include "generator.h"

#include <algorithm>

namespace fairlane::model {
namespace {

/// More messages than this make the slow model slow and find nothing more.
constexpr std::size_t enough_messages = 30;

}  // namespace

std::uint64_t Generator::below(std::uint64_t bound) { return random_() % bound; }

Operation Generator::next(const SlowModel& model) {
  const auto kind = below(100);
  if (kind < 24) return publishing(model);
  if (kind < 46) return claiming();
  if (kind < 68 && !leases_.empty()) return settling();
  if (kind < 78) return passing();
  if (kind < 90) return controlling(model);
  return looking();
}

void Generator::learn(const Operation& operation, const Outcome& outcome) {
  for (std::size_t i = 0; i < outcome.leases.size(); ++i) leases_.push_back(operation.as + i);
}

Operation Generator::publishing(const SlowModel& model) {
  Operation operation{.verb = Verb::publish};
  if (model.queued() > enough_messages) {
    operation.verb = Verb::terminate;
    operation.group = group();
    return operation;
  }
  const auto kind = below(10);
  if (kind == 0) {
    operation.verb = Verb::publish_batch;
    for (auto left = below(5); left > 0; --left) operation.messages.push_back(message());
    return operation;
  }
  if (kind == 1) operation.verb = Verb::publish_wait;
  const auto one = message();
  operation.group = one.group;
  operation.event = one.event;
  operation.priority = one.priority;
  return operation;
}

Operation Generator::claiming() {
  static constexpr std::int32_t floors[] = {0, 0, 0, 0, -2, 1, 3};
  static constexpr const char* workers[] = {"w1", "w2", ""};
  Operation operation{.verb = Verb::claim};
  operation.priority = any(floors);
  operation.text = any(workers);
  operation.ms = span();
  operation.as = next_name_;
  operation.count = 1;
  const auto kind = below(10);
  if (kind == 0) operation.verb = Verb::claim_wait;
  if (kind == 1) {
    operation.verb = Verb::claim_batch;
    operation.count = below(5);
  }
  next_name_ += std::max<std::size_t>(1, operation.count);
  return operation;
}

Operation Generator::settling() {
  static constexpr const char* reasons[] = {"", "no such account"};
  const auto kind = below(14);
  Operation operation = kind < 2 ? claiming() : Operation{};
  operation.leases = {lease()};
  if (kind < 2) {
    operation.verb = Verb::ack_claim;
  } else if (kind < 6) {
    operation.verb = Verb::ack;
  } else if (kind == 6) {
    operation.verb = Verb::ack_batch;
    for (auto more = below(3); more > 0; --more) operation.leases.push_back(lease());
  } else if (kind < 10) {
    operation.verb = Verb::nack;
    operation.ms = chance(50) ? 0 : span();
  } else if (kind < 12) {
    operation.verb = Verb::extend;
    operation.ms = span();
  } else if (kind == 12) {
    operation.verb = Verb::release;
  } else {
    operation.verb = Verb::reject;
    operation.text = any(reasons);
  }
  return operation;
}

Operation Generator::controlling(const SlowModel& model) {
  static constexpr Verb verbs[] = {Verb::suspend, Verb::suspend,   Verb::resume,   Verb::resume,
                                   Verb::resume,  Verb::terminate, Verb::cancel,   Verb::cancel,
                                   Verb::redrive, Verb::redrive,   Verb::drop_dead};
  Operation operation{.verb = any(verbs)};
  if (operation.verb == Verb::redrive || operation.verb == Verb::drop_dead) {
    operation.seq = dead_seq(model);
    return operation;
  }
  operation.group = group();
  if (operation.verb == Verb::cancel) operation.event = message().event;
  return operation;
}

Operation Generator::looking() {
  static constexpr Verb verbs[] = {Verb::inspect, Verb::inspect, Verb::groups,
                                   Verb::peek,    Verb::stats,   Verb::dead_letters};
  Operation operation{.verb = any(verbs)};
  operation.count = below(6);
  if (operation.verb == Verb::inspect || operation.verb == Verb::peek) operation.group = group();
  if (operation.verb == Verb::groups) {
    operation.flag = chance(50);
    if (chance(50)) operation.text = group();
  }
  if (chance(2)) return {.verb = chance(70) ? Verb::reopen : Verb::close};
  return operation;
}

Operation Generator::passing() {
  static constexpr std::int64_t steps[] = {0, 1, 1, 1, 2, 3, 5, 10, 50, 1000};
  return {.verb = Verb::advance, .ms = any(steps)};
}

NewMessage Generator::message() {
  static constexpr std::int32_t priorities[] = {0, 0, 0, 1, 3, -1};
  std::string event = "e" + std::to_string(++last_event_);
  if (chance(5)) event += "-and-more-bytes-than-a-limit";
  return {group(), std::move(event), any(priorities)};
}

std::string Generator::group() {
  static const std::string ids[] = {"",    "a", "b",   "a:", "a:b", std::string("a\0b", 3),
                                    "{a}", "'", "a\"", "B"};
  static const std::string too_long(max_group_id_bytes + 1, 'x');
  if (below(200) == 0) return too_long;
  return any(ids);
}

std::uint64_t Generator::lease() {
  // Mostly a recent one, that may still be current; now and then one from long ago.
  const auto reach = chance(90) ? std::min<std::size_t>(leases_.size(), 6) : leases_.size();
  return leases_[leases_.size() - 1 - below(reach)];
}

std::uint64_t Generator::dead_seq(const SlowModel& model) {
  const auto seqs = model.dead_seqs();
  if (seqs.empty() || chance(10)) return below(100);
  return seqs[below(seqs.size())];
}

std::int64_t Generator::span() {
  static constexpr std::int64_t spans[] = {0, 1, 1, 2, 3, 5, 5, 10, 20, 50, 1000, 1'000'000};
  if (below(300) == 0) return -1;
  if (below(200) == 0) return std::int64_t{1} << 62;  // more than nanoseconds can tell
  return any(spans);
}

}  // namespace fairlane::model
