#include "replay/results.h"

namespace fairlane::replay {

std::int64_t to_ms(Instant instant) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(instant.time_since_epoch()).count();
}

Json lease_result(const std::optional<Lease<Bytes>>& lease) {
  if (!lease) return nullptr;
  return {{"seq", lease->seq()},
          {"group", lease->group_id()},
          {"event", parse_line(lease->event())},
          {"attempt", lease->attempt()},
          {"expires_at_ms", to_ms(lease->expires_at())}};
}

Json settled_result(Settled settled) { return {{"settled", to_string(settled)}}; }

Json inspect_result(const GroupInfo& info) {
  Json result = {
      {"state", to_string(info.state)}, {"suspended", info.suspended}, {"messages", info.messages}};
  if (info.state != GroupState::absent) {
    result["priority"] = info.priority;
    result["last_claimed_at_ms"] = to_ms(info.last_claimed_at);
  }
  if (info.until) result["until_ms"] = to_ms(*info.until);
  if (info.worker_id) result["worker"] = *info.worker_id;
  if (info.attempt) result["attempt"] = *info.attempt;
  return result;
}

Json stats_result(const Stats& stats) {
  return {{"groups", stats.groups},     {"ready", stats.ready},
          {"waiting", stats.waiting},   {"leased", stats.leased},
          {"parked", stats.parked},     {"suspended", stats.suspended},
          {"dead", stats.dead},         {"published", stats.published},
          {"claims", stats.claims},     {"redelivered", stats.redelivered},
          {"acked", stats.acked},       {"nacks", stats.nacks},
          {"released", stats.released}, {"stale", stats.stale},
          {"dropped", stats.dropped},   {"dead_lettered", stats.dead_lettered},
          {"redriven", stats.redriven}};
}

}  // namespace fairlane::replay
