#include "redis/redis_backend.h"

#include <algorithm>
#include <random>
#include <utility>

#include "fairlane/detail/arguments.h"
#include "fairlane/error.h"
#include "redis/words.h"

namespace fairlane::redis {

using remote::Answer;

namespace {

constexpr std::int64_t layout_version = 1;
// A reply of more leases than that nobody could hold.
constexpr std::size_t most_claims = 1'000'000'000;

enum class Status {
  done = 0,
  again = 1,
  too_large = 2,
  full = 3,
  other_rules = 4,
  other_version = 5
};

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32U ^ device();
}

Address address_of(const RedisOptions& options) {
  return {options.host,
          options.port,
          options.path,
          options.user,
          options.password,
          options.database,
          options.connect_timeout,
          options.answer_timeout};
}

template <class Rule>
void add_rule(Command& command, const std::optional<Rule>& rule) {
  if (rule) {
    command.add(static_cast<std::uint64_t>(*rule));
  } else {
    command.add("");
  }
}

std::int32_t priority_of(const Value& value) { return static_cast<std::int32_t>(value.integer()); }

void note_claimable(remote::Effect& effect, std::optional<std::int32_t> priority) {
  effect.claimable = std::max(effect.claimable, priority);  // Nothing is less than any.
}

}  // namespace

std::string record_key(std::string_view queue_name) {
  std::string key = "{fairlane:";
  for (const char byte : queue_name) {
    if (byte == '}') {
      key += "%7D";
    } else if (byte == '%') {
      key += "%25";
    } else {
      key += byte;
    }
  }
  return key + "}";
}

RedisBackend::RedisBackend(const RedisOptions& options)
    : key_(record_key(options.queue_name)),
      sender_(to_bytes(random_number())),
      server_(address_of(options), options.connections),
      subscriber_(address_of(options), key_ + ":told", sender_),
      server_clock_(std::make_shared<remote::ServerClock>()),
      clock_(options.clock != nullptr ? options.clock : server_clock_),
      by_hand_(options.clock != nullptr),
      first_fence_(random_number()) {
  refuse_eviction();
  open(options);
}

/// A server that drops keys to make room would drop messages. Where it may not be asked, the page
/// of this transport says what to set.
void RedisBackend::refuse_eviction() {
  const Reply reply = server_.ask({"CONFIG", "GET", "maxmemory*"}, Kind::reads);
  const Value settings(reply.get());
  std::string_view policy;
  bool limited = false;
  for (std::size_t i = 0; i + 1 < settings.size(); i += 2) {
    if (settings[i].bytes() == "maxmemory") limited = settings[i + 1].bytes() != "0";
    if (settings[i].bytes() == "maxmemory-policy") policy = settings[i + 1].bytes();
  }
  if (!limited || !policy.starts_with("allkeys")) return;
  throw TransportError(ErrorCode::incompatible,
                       "the server drops keys when its memory is full (maxmemory-policy " +
                           std::string(policy) + "), messages too; set it to noeviction");
}

void RedisBackend::open(const RedisOptions& options) {
  const auto& rules = options.queue;
  Command command = Server::command_of(Script::open, key_);
  command.add(layout_version).add(random_number() >> 1U).add(options.change_options ? "1" : "0");
  add_rule(command, rules.rotation);
  add_rule(command, rules.when_exhausted);
  add_rule(command, rules.max_attempts);
  add_rule(command, rules.max_messages);
  add_rule(command, rules.max_group_messages);
  add_rule(command, rules.max_event_bytes);
  const Reply reply = server_.run(Script::open, command, Kind::changes);
  const Value answer(reply.get());
  const auto status = static_cast<Status>(answer[0].integer());
  if (status == Status::other_rules) {
    throw TransportError(ErrorCode::incompatible, "the queue \"" + options.queue_name +
                                                      "\" has other options; ask to change them");
  }
  if (status == Status::other_version) {
    throw TransportError(
        answer[2].integer() > layout_version ? ErrorCode::incompatible : ErrorCode::corrupt,
        "the queue's keys are of version " + answer[2].text() + ", and this program knows " +
            std::to_string(layout_version));
  }
  store_ = answer[1].count();
  server_clock_->set(instant(answer[3].integer()));
}

Command RedisBackend::begin(Script script) const {
  Command command = Server::command_of(script, key_);
  if (by_hand_) {
    command.add(sender_ + std::to_string(microseconds(clock_->now())));
  } else {
    command.add(sender_);
  }
  return command;
}

/// Runs the script until it has taken note of all that ran out.
RedisBackend::Outcome RedisBackend::run(Script script, const Command& command, Kind kind) {
  Outcome outcome;
  for (;;) {
    outcome.reply = server_.run(script, command, kind);
    if (!outcome.answer().is_list()) return outcome;  // The short form: nothing ran out.
    const auto status = static_cast<Status>(outcome[0].integer());
    if (status == Status::too_large) {
      detail::throw_too_large(outcome[3].count(), outcome[4].count());
    }
    auto& effect = outcome.effect;
    if (!outcome[1].is_nothing()) note_claimable(effect, priority_of(outcome[1]));
    effect.died += outcome[2].count();
    effect.room = effect.died > 0;
    outcome.full = status == Status::full;
    if (status != Status::again) return outcome;
  }
}

Answer<std::optional<std::vector<std::uint64_t>>> RedisBackend::publish(
    std::span<const remote::Message> messages) {
  Command command = begin(Script::publish);
  for (const auto& message : messages) {
    command.add(message.group_id).add(message.event).add(message.priority);
  }
  const Outcome outcome = run(Script::publish, command);
  if (outcome.full) return {std::nullopt, outcome.effect};
  std::vector<std::uint64_t> seqs(messages.size());
  auto seq = first_seq(outcome.answer());
  for (auto& each : seqs) each = seq++;
  return {std::move(seqs), outcome.effect};
}

std::uint64_t RedisBackend::next_fence() noexcept {
  // Drawn once and counted on, then mixed so that none repeats: each is given once by this object,
  // and another's is met as seldom as two random numbers of 64 bits meet. So a server that lost its
  // last claims gives none of their fences again.
  for (;;) {
    std::uint64_t fence =
        first_fence_ + 0x9e37'79b9'7f4a'7c15U * fences_.fetch_add(1, std::memory_order_relaxed);
    fence = (fence ^ fence >> 30U) * 0xbf58'476d'1ce4'e5b9U;
    fence = (fence ^ fence >> 27U) * 0x94d0'49bb'1331'11ebU;
    fence ^= fence >> 31U;
    if (fence != 0) return fence;
  }
}

/// One word, as claim_step.lua takes it apart.
void RedisBackend::add_claim(Command& command, const remote::ClaimRequest& request,
                             std::uint64_t fence) {
  std::string word = to_bytes(static_cast<std::uint64_t>(microseconds(request.visibility)));
  word += to_bytes(std::min(request.count, most_claims), 4);
  word += to_bytes(static_cast<std::uint32_t>(request.min_priority), 4);
  word += request.look_further ? '\1' : '\0';
  word += to_bytes(fence);
  word += request.worker_id;
  command.add(word);
}

std::vector<remote::Claimed> RedisBackend::claimed_in(const ClaimAnswer& answer,
                                                      const remote::ClaimRequest& request,
                                                      std::uint64_t fence,
                                                      remote::Effect& effect) const {
  const auto expires_at = instant(std::min(answer.now + microseconds(request.visibility), never));
  std::vector<remote::Claimed> claimed;
  claimed.reserve(answer.leases.size());
  for (const auto& lease : answer.leases) {
    const auto low = static_cast<std::uint32_t>(fence + claimed.size());
    claimed.push_back({{store_, fence >> 32U << 32U | low, lease.seq, lease.attempt},
                       expires_at,
                       std::string(lease.group_id),
                       std::string(lease.event)});
  }
  note_claimable(effect, answer.claimable);
  if (answer.more) effect.more = answer.more;
  if (!claimed.empty()) effect.ends_in = request.visibility;
  return claimed;
}

Answer<std::vector<remote::Claimed>> RedisBackend::claim(const remote::ClaimRequest& request) {
  Command command = begin(Script::claim);
  const auto fence = next_fence();
  add_claim(command, request, fence);
  Outcome outcome = run(Script::claim, command);
  const auto answer = ClaimAnswer::of_claim(outcome.answer(), 0);
  auto claimed = claimed_in(answer, request, fence, outcome.effect);
  return {std::move(claimed), outcome.effect};
}

Answer<remote::AckedAndClaimed> RedisBackend::ack(std::span<const remote::LeaseName> leases,
                                                  const remote::ClaimRequest* then_claim) {
  const Script script = then_claim != nullptr ? Script::ack_claim : Script::ack;
  Command command = begin(script);
  std::uint64_t fence = 0;
  if (then_claim != nullptr) {
    fence = next_fence();
    add_claim(command, *then_claim, fence);
  }
  for (const auto& lease : leases) command.add(lease.group_id).add(to_bytes(lease.fence));
  Outcome outcome = run(script, command);
  const auto read_answer = then_claim != nullptr ? ClaimAnswer::of_claim : ClaimAnswer::of_ack;
  const auto answer = read_answer(outcome.answer(), leases.size());
  remote::AckedAndClaimed both;
  for (const char done : answer.settled) {
    both.settled.push_back(done == '1' ? Settled::done : Settled::stale);
    outcome.effect.room = outcome.effect.room || done == '1';
  }
  if (then_claim != nullptr) {
    both.claimed = claimed_in(answer, *then_claim, fence, outcome.effect);
  } else {
    note_claimable(outcome.effect, answer.claimable);
  }
  return {std::move(both), outcome.effect};
}

Answer<Settled> RedisBackend::settle(const remote::LeaseName& lease,
                                     const remote::Settlement& settlement) {
  using Verb = remote::Settlement::Verb;
  Command command = begin(Script::settle);
  command.add(lease.group_id).add(to_bytes(lease.fence));
  switch (settlement.verb) {
    case Verb::nack:
      command.add("nack").add(microseconds(settlement.duration));
      break;
    case Verb::extend:
      command.add("extend").add(microseconds(settlement.duration));
      break;
    case Verb::release:
      command.add("release");
      break;
    case Verb::reject:
      command.add("reject").add(settlement.reason);
      break;
  }
  Outcome outcome = run(Script::settle, command);
  if (outcome[3].integer() == 0) return {Settled::stale, outcome.effect};
  const bool flies = settlement.verb == Verb::extend ||
                     (settlement.verb == Verb::nack && settlement.duration > Duration());
  if (flies) outcome.effect.ends_in = settlement.duration;
  return {Settled::done, outcome.effect};
}

remote::Look RedisBackend::look(remote::Listener& listener, const remote::Wishes& wishes) {
  subscriber_.listen(listener);
  const auto told_for = 3 * microseconds(remote::look_interval);
  Command command = begin(Script::look);
  command.add(wishes.min_priority ? told_for : 0).add(wishes.room ? told_for : 0);
  const Outcome outcome = run(Script::look, command, Kind::reads);
  const auto now = outcome[3].integer();
  if (!by_hand_) server_clock_->set(instant(now));
  remote::Look look;
  if (!outcome[4].is_nothing()) look.claimable = priority_of(outcome[4]);
  if (!outcome[5].is_nothing() && outcome[5].integer() < never) {
    // Over is what ended a whole microsecond ago.
    constexpr std::chrono::nanoseconds rest(999);
    look.ends_in = std::chrono::microseconds(outcome[5].integer() - now) + rest;
  }
  return look;
}

void RedisBackend::close() {
  server_.close();
  subscriber_.close();
}

}  // namespace fairlane::redis
