#include "replay/session.h"

#include <iterator>
#include <utility>

#include "fairlane/in_memory_transport.h"
#include "fairlane/open.h"
#include "replay/results.h"

namespace fairlane::replay {

Session::Session(std::string url)
    : url_(std::move(url)), clock_(std::make_shared<testing::ManualClock>()) {
  open({});
  const Stats held = transport_->control().stats();
  const bool suspended = !transport_->control().groups({.suspended = true, .limit = 1}).empty();
  if (held.groups != 0 || held.dead != 0 || suspended) {
    throw BrokenTrace("the store is not empty");
  }
}

void Session::open(const QueueOptions& queue) {
  transport_.reset();
  transport_ = fairlane::open(url_, {.queue = queue, .change_options = true, .clock = clock_});
}

Session::Operation Session::find_operation(std::string_view name) {
  static const std::map<std::string_view, Operation> operations = {
      {"config", &Session::config},
      {"advance", &Session::advance},
      {"publish", &Session::publish},
      {"publish_batch", &Session::publish_batch},
      {"claim", &Session::claim},
      {"claim_batch", &Session::claim_batch},
      {"ack", &Session::ack},
      {"ack_claim", &Session::ack_claim},
      {"nack", &Session::nack},
      {"extend", &Session::extend},
      {"release", &Session::release},
      {"reject", &Session::reject},
      {"suspend", &Session::suspend},
      {"resume", &Session::resume},
      {"terminate", &Session::terminate},
      {"cancel", &Session::cancel},
      {"inspect", &Session::inspect},
      {"peek", &Session::peek},
      {"groups", &Session::groups},
      {"stats", &Session::stats},
      {"dead_letters", &Session::dead_letters},
      {"redrive", &Session::redrive},
      {"drop_dead", &Session::drop_dead},
      {"close", &Session::close},
      {"reopen", &Session::reopen},
  };
  const auto found = operations.find(name);
  if (found == operations.end()) {
    throw BrokenTrace("unknown operation \"" + std::string(name) + "\"");
  }
  return found->second;
}

Json Session::run(const Json& operation) {
  Keys keys(operation);
  const std::string op = keys.text("op");
  if (!keys.value("expect", Json::object()).is_object()) {
    throw BrokenTrace("\"expect\" has to be an object");
  }
  try {
    Json result = (this->*find_operation(op))(keys);
    first_ = false;
    return result;
  } catch (const std::invalid_argument&) {
    first_ = false;
    return {{"error", "invalid_argument"}};
  } catch (const TransportError& error) {
    first_ = false;
    return {{"error", to_string(error.code())}};
  }
}

const Lease<Bytes>& Session::lease(Keys& keys) {
  const std::string name = keys.text("lease");
  const auto found = leases_.find(name);
  if (found == leases_.end()) throw BrokenTrace("the lease \"" + name + "\" is not filled");
  return found->second;
}

void Session::name(const std::string& as, const std::optional<Lease<Bytes>>& lease) {
  leases_.erase(as);
  if (lease) leases_.emplace(as, *lease);
}

void Session::name_batch(const std::string& as, const std::vector<Lease<Bytes>>& leases) {
  const std::string prefix = as + ".";
  for (auto at = leases_.lower_bound(prefix);
       at != leases_.end() && at->first.starts_with(prefix);) {
    // Those of an earlier batch alone: "L.keep" is a name like any other.
    const bool numbered =
        at->first.size() > prefix.size() &&
        at->first.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    at = numbered ? leases_.erase(at) : std::next(at);
  }
  for (std::size_t i = 0; i < leases.size(); ++i) {
    leases_.emplace(prefix + std::to_string(i), leases[i]);
  }
}

namespace {

/// The keys that every kind of claim has.
struct ClaimKeys {
  explicit ClaimKeys(Keys& keys)
      : worker(keys.text("worker", "w")),
        as(keys.optional_text("as")),
        visibility(keys.milliseconds("visibility_ms", std::chrono::seconds(30))),
        min_priority(keys.int32("min_priority", 0)) {}

  std::string worker;
  std::optional<std::string> as;
  Duration visibility;
  std::int32_t min_priority;
};

Publication<Bytes> publication(Keys& keys, std::string& group) {
  group = keys.text("group");
  auto event = event_text(keys.value("event", nullptr));
  const auto priority = keys.int32("priority", 0);
  keys.refuse_unknown();
  return {group, std::move(event), priority};
}

std::optional<std::uint64_t> option(Keys& keys, const char* key) { return keys.count(key, 0); }

}  // namespace

Json Session::config(Keys& keys) {
  if (!first_) throw BrokenTrace("config has to be the first operation");
  QueueOptions queue;
  const auto rotation = keys.text("rotation", "oldest_claim_first");
  const auto when_exhausted = keys.text("when_exhausted", "dead_letter");
  const auto max_attempts = keys.count("max_attempts", 0);
  queue.max_messages = option(keys, "max_messages");
  queue.max_group_messages = option(keys, "max_group_messages");
  queue.max_event_bytes = option(keys, "max_event_bytes");
  keys.finish();
  queue.rotation = parse_rotation(rotation);
  if (!queue.rotation) throw std::invalid_argument("no such rotation: " + rotation);
  queue.when_exhausted = parse_when_exhausted(when_exhausted);
  if (!queue.when_exhausted) throw std::invalid_argument("no such policy: " + when_exhausted);
  if (!std::in_range<std::uint32_t>(max_attempts)) {
    throw std::invalid_argument("max_attempts is too large: " + std::to_string(max_attempts));
  }
  queue.max_attempts = static_cast<std::uint32_t>(max_attempts);
  open(queue);
  return Json::object();
}

Json Session::advance(Keys& keys) {
  const auto by = keys.milliseconds("ms");
  keys.finish();
  if (by.is_negative()) throw std::invalid_argument("ms is negative");
  clock_->advance(by);
  return {{"now_ms", to_ms(clock_->now())}};
}

Json Session::publish(Keys& keys) {
  std::string group;
  auto message = publication(keys, group);
  keys.finish();
  return {{"seq", transport_->publish(group, std::move(message.event), message.priority)}};
}

Json Session::publish_batch(Keys& keys) {
  const Json& messages = keys.array("messages");
  keys.finish();
  std::vector<std::string> groups(messages.size());
  std::vector<Publication<Bytes>> publications;
  std::vector<Keys> read;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    publications.push_back(publication(read.emplace_back(messages[i]), groups[i]));
  }
  for (const Keys& message : read) message.refuse_out_of_range();
  return {{"seqs", transport_->publish_batch(publications)}};
}

Json Session::claim(Keys& keys) {
  const ClaimKeys claim(keys);
  keys.finish();
  const auto lease = transport_->claim(claim.worker, claim.visibility, claim.min_priority);
  if (claim.as) name(*claim.as, lease);
  return {{"lease", lease_result(lease)}};
}

Json Session::claim_batch(Keys& keys) {
  const ClaimKeys claim(keys);
  const auto n = keys.count("n");
  keys.finish();
  const auto leases =
      transport_->claim_batch(n, claim.worker, claim.visibility, claim.min_priority);
  if (claim.as) name_batch(*claim.as, leases);
  Json list = Json::array();
  for (const auto& lease : leases) list.push_back(lease_result(lease));
  return {{"leases", std::move(list)}};
}

Json Session::ack(Keys& keys) {
  const auto& acked = lease(keys);
  keys.finish();
  return settled_result(transport_->ack(acked));
}

Json Session::ack_claim(Keys& keys) {
  const Lease<Bytes> acked = lease(keys);
  const ClaimKeys claim(keys);
  keys.finish();
  const auto both =
      transport_->ack_claim(acked, claim.worker, claim.visibility, claim.min_priority);
  if (claim.as) name(*claim.as, both.lease);
  return {{"settled", to_string(both.settled)}, {"lease", lease_result(both.lease)}};
}

Json Session::nack(Keys& keys) {
  const auto& nacked = lease(keys);
  const auto delay = keys.milliseconds("delay_ms", Duration());
  keys.finish();
  return settled_result(transport_->nack(nacked, delay));
}

Json Session::extend(Keys& keys) {
  const auto& extended = lease(keys);
  const auto visibility = keys.milliseconds("visibility_ms");
  keys.finish();
  return settled_result(transport_->extend(extended, visibility));
}

Json Session::release(Keys& keys) {
  const auto& released = lease(keys);
  keys.finish();
  return settled_result(transport_->release(released));
}

Json Session::reject(Keys& keys) {
  const auto& rejected = lease(keys);
  const auto reason = keys.text("reason", "");
  keys.finish();
  return settled_result(transport_->reject(rejected, reason));
}

Json Session::suspend(Keys& keys) {
  const auto group = keys.text("group");
  keys.finish();
  transport_->control().suspend(group);
  return Json::object();
}

Json Session::resume(Keys& keys) {
  const auto group = keys.text("group");
  keys.finish();
  transport_->control().resume(group);
  return Json::object();
}

Json Session::terminate(Keys& keys) {
  const auto group = keys.text("group");
  keys.finish();
  return {{"dropped", transport_->control().terminate(group)}};
}

Json Session::cancel(Keys& keys) {
  const auto group = keys.text("group");
  auto event = event_text(keys.value("event", nullptr));
  keys.finish();
  const auto cancelled = transport_->control().cancel(group, std::move(event));
  return {{"dropped", cancelled.dropped}, {"seq", cancelled.seq}};
}

Json Session::inspect(Keys& keys) {
  const auto group = keys.text("group");
  keys.finish();
  return inspect_result(transport_->control().inspect(group));
}

Json Session::peek(Keys& keys) {
  const auto group = keys.text("group");
  const auto limit = keys.count("limit", 10);
  keys.finish();
  Json list = Json::array();
  for (const auto& message : transport_->control().peek(group, limit)) {
    list.push_back({{"seq", message.seq},
                    {"event", parse_line(*message.event)},
                    {"attempts", message.attempts}});
  }
  return {{"messages", std::move(list)}};
}

Json Session::groups(Keys& keys) {
  GroupQuery query;
  query.suspended = keys.boolean("suspended", false);
  query.limit = keys.count("limit", 100);
  const auto after = keys.optional_text("after");
  keys.finish();
  if (after) query.after = *after;
  return {{"groups", transport_->control().groups(query)}};
}

Json Session::stats(Keys& keys) {
  keys.finish();
  return stats_result(transport_->control().stats());
}

Json Session::dead_letters(Keys& keys) {
  const auto limit = keys.count("limit", 100);
  keys.finish();
  Json list = Json::array();
  for (const auto& letter : transport_->control().dead_letters(limit)) {
    list.push_back({{"seq", letter.seq},
                    {"group", letter.group_id},
                    {"event", parse_line(*letter.event)},
                    {"attempts", letter.attempts},
                    {"worker", letter.worker_id},
                    {"reason", letter.reason}});
  }
  return {{"dead", std::move(list)}};
}

Json Session::redrive(Keys& keys) {
  const auto seq = keys.count("seq");
  keys.finish();
  return {{"seq", transport_->control().redrive(seq)}};
}

Json Session::drop_dead(Keys& keys) {
  const auto seq = keys.count("seq");
  keys.finish();
  transport_->control().drop_dead(seq);
  return Json::object();
}

Json Session::close(Keys& keys) {
  keys.finish();
  transport_->close();
  return Json::object();
}

Json Session::reopen(Keys& keys) {
  keys.finish();
  if (auto* const memory = dynamic_cast<InMemoryTransport<Bytes>*>(transport_.get())) {
    memory->reopen();
  } else {
    transport_.reset();
    open({});
  }
  return Json::object();
}

}  // namespace fairlane::replay
