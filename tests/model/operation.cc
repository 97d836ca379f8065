#include "operation.h"

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace fairlane::model {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t nanoseconds(Instant at) { return at.time_since_epoch().count(); }

constexpr std::array<std::string_view, 27> verb_names = {
    "advance",    "publish", "publish_batch", "publish_wait", "claim",        "claim_batch",
    "claim_wait", "ack",     "ack_batch",     "ack_claim",    "nack",         "extend",
    "release",    "reject",  "suspend",       "resume",       "terminate",    "cancel",
    "inspect",    "groups",  "peek",          "stats",        "dead_letters", "redrive",
    "drop_dead",  "close",   "reopen"};

Json to_json(const NewMessage& message) {
  return {{"group", message.group}, {"event", message.event}, {"priority", message.priority}};
}

/// Writes operations as lines, and remembers which of them named which lease.
class TraceWriter {
 public:
  std::string line(const Operation& operation) {
    switch (operation.verb) {
      case Verb::publish_batch: {
        Json messages = Json::array();
        for (const auto& message : operation.messages) messages.push_back(to_json(message));
        return Json{{"op", "publish_batch"}, {"messages", messages}}.dump() + "\n";
      }
      case Verb::ack_batch: {
        std::string lines;
        for (const auto lease : operation.leases) {
          lines += Json{{"op", "ack"}, {"lease", names_[lease]}}.dump() + "\n";
        }
        return lines;
      }
      default:
        return object(operation).dump() + "\n";
    }
  }

 private:
  Json object(const Operation& operation) {
    Json line{{"op", to_string(operation.verb)}};
    // What waits is tried once in a history: a trace has no operation for waiting.
    if (operation.verb == Verb::publish_wait) line["op"] = "publish";
    if (operation.verb == Verb::claim_wait) line["op"] = "claim";
    if (!operation.leases.empty()) line["lease"] = names_[operation.leases.front()];
    switch (operation.verb) {
      case Verb::advance:
        line["ms"] = operation.ms;
        break;
      case Verb::publish:
      case Verb::publish_wait:
        line.update(to_json({operation.group, operation.event, operation.priority}));
        break;
      case Verb::claim:
      case Verb::claim_wait:
      case Verb::claim_batch:
      case Verb::ack_claim:
        add_claim(operation, line);
        break;
      case Verb::nack:
        line["delay_ms"] = operation.ms;
        break;
      case Verb::extend:
        line["visibility_ms"] = operation.ms;
        break;
      case Verb::reject:
        line["reason"] = operation.text;
        break;
      default:
        add_control(operation, line);
    }
    return line;
  }

  void add_claim(const Operation& operation, Json& line) {
    const std::string name = "L" + std::to_string(operation.as);
    line["worker"] = operation.text;
    line["visibility_ms"] = operation.ms;
    line["min_priority"] = operation.priority;
    line["as"] = name;
    names_[operation.as] = name;
    if (operation.verb != Verb::claim_batch) return;
    line["n"] = operation.count;
    for (std::size_t i = 0; i < operation.count; ++i) {
      names_[operation.as + i] = name + "." + std::to_string(i);
    }
  }

  static void add_control(const Operation& operation, Json& line) {
    switch (operation.verb) {
      case Verb::cancel:
        line["group"] = operation.group;
        line["event"] = operation.event;
        break;
      case Verb::peek:
        line["group"] = operation.group;
        line["limit"] = operation.count;
        break;
      case Verb::groups:
        line["suspended"] = operation.flag;
        line["limit"] = operation.count;
        if (!operation.text.empty()) line["after"] = operation.text;
        break;
      case Verb::dead_letters:
        line["limit"] = operation.count;
        break;
      case Verb::redrive:
      case Verb::drop_dead:
        line["seq"] = operation.seq;
        break;
      case Verb::suspend:
      case Verb::resume:
      case Verb::terminate:
      case Verb::inspect:
        line["group"] = operation.group;
        break;
      default:
        break;
    }
  }

  std::map<std::uint64_t, std::string> names_;
};

void print_group(std::ostream& out, const GroupView& group) {
  out << " group{" << fairlane::to_string(group.state) << " suspended=" << group.suspended
      << " messages=" << group.messages << " priority=" << group.priority
      << " last_claimed_at=" << nanoseconds(group.last_claimed_at);
  if (group.until) out << " until=" << nanoseconds(*group.until);
  if (group.worker) out << " worker=" << *group.worker;
  if (group.attempt) out << " attempt=" << *group.attempt;
  out << "}";
}

}  // namespace

std::string_view to_string(Verb verb) noexcept {
  return verb_names[static_cast<std::size_t>(verb)];
}

std::array<std::uint64_t, 18> numbers(const Stats& s) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(s.oldest_age.value());
  return {s.groups,        s.ready,     s.waiting,     s.leased,
          s.parked,        s.suspended, s.dead,        static_cast<std::uint64_t>(age.count()),
          s.published,     s.claims,    s.redelivered, s.acked,
          s.nacks,         s.released,  s.stale,       s.dropped,
          s.dead_lettered, s.redriven};
}

bool adds_up(const Stats& s) {
  const auto queued = s.leased + s.parked + s.suspended + s.ready + s.waiting;
  return s.published == queued + s.acked + s.dead + s.dropped + s.redriven;
}

bool operator==(const Outcome& left, const Outcome& right) {
  const auto others = [](const Outcome& o) {
    return std::tie(o.error, o.seqs, o.leases, o.settled, o.dropped, o.group, o.groups, o.messages,
                    o.dead);
  };
  if (left.stats.has_value() != right.stats.has_value()) return false;
  if (left.stats && numbers(*left.stats) != numbers(*right.stats)) return false;
  return others(left) == others(right);
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << "{";
  if (!outcome.error.empty()) out << " error " << outcome.error;
  for (const auto seq : outcome.seqs) out << " seq " << seq;
  for (const auto settled : outcome.settled) out << " " << fairlane::to_string(settled);
  for (const auto& lease : outcome.leases) {
    out << " lease{seq " << lease.seq << " group '" << lease.group << "' event '" << lease.event
        << "' attempt " << lease.attempt << " expires_at " << nanoseconds(lease.expires_at) << "}";
  }
  if (outcome.dropped != 0) out << " dropped " << outcome.dropped;
  if (outcome.group) print_group(out, *outcome.group);
  for (const auto& id : outcome.groups) out << " '" << id << "'";
  for (const auto& message : outcome.messages) {
    out << " message{" << message.seq << " '" << message.event << "' " << message.attempts << "}";
  }
  for (const auto& letter : outcome.dead) {
    out << " dead{" << letter.seq << " '" << letter.group << "' '" << letter.event << "' "
        << letter.attempts << " priority " << letter.priority << " worker '" << letter.worker
        << "' reason '" << letter.reason << "'}";
  }
  if (outcome.stats) {
    out << " stats[groups ready waiting leased parked suspended dead age published claims"
           " redelivered acked nacks released stale dropped dead_lettered redriven]";
    for (const auto number : numbers(*outcome.stats)) out << " " << number;
  }
  return out << " }";
}

std::string to_trace(const QueueRules& rules, const std::vector<Operation>& operations) {
  std::string trace = Json{{"op", "config"},
                           {"rotation", fairlane::to_string(rules.rotation)},
                           {"max_attempts", rules.max_attempts},
                           {"when_exhausted", fairlane::to_string(rules.when_exhausted)},
                           {"max_messages", rules.max_messages},
                           {"max_group_messages", rules.max_group_messages},
                           {"max_event_bytes", rules.max_event_bytes}}
                          .dump() +
                      "\n";
  TraceWriter writer;
  for (const auto& operation : operations) trace += writer.line(operation);
  return trace;
}

}  // namespace fairlane::model
