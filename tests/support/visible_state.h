// All that a queue shows of what it holds, as text to compare.
#pragma once

#include <sstream>
#include <string>

#include "fairlane/transport.h"

namespace fairlane::test {

inline void show_group(std::ostream& text, Control<Bytes>& control, const std::string& id) {
  const GroupInfo group = control.inspect(id);
  text << "group \"" << id << "\" " << to_string(group.state) << (group.suspended ? "!" : "") << " "
       << group.messages << " of priority " << group.priority << ", claimed "
       << group.last_claimed_at.time_since_epoch().count();
  if (group.until) text << ", until " << group.until->time_since_epoch().count();
  if (group.worker_id) text << ", by " << *group.worker_id;
  if (group.attempt) text << ", attempt " << *group.attempt;
  for (const auto& message : control.peek(id, 1000)) {
    text << "\n  " << message.seq << " " << *message.event << " after " << message.attempts;
  }
  text << "\n";
}

inline std::string visible_state(Transport<Bytes>& queue) {
  std::ostringstream text;
  Control<Bytes>& control = queue.control();
  for (const auto& id : control.groups({.limit = 1000})) show_group(text, control, id);
  for (const auto& id : control.groups({.suspended = true, .limit = 1000})) {
    text << "suspended \"" << id << "\"\n";
  }
  for (const auto& dead : control.dead_letters(1000)) {
    text << "dead " << dead.seq << " of \"" << dead.group_id << "\" " << *dead.event << " after "
         << dead.attempts << " of priority " << dead.priority << ", " << dead.worker_id << ": "
         << dead.reason << "\n";
  }
  const Stats stats = control.stats();
  text << stats.groups << " groups, " << stats.ready << " ready, " << stats.waiting << " waiting, "
       << stats.leased << " leased, " << stats.parked << " parked, " << stats.suspended
       << " suspended, " << stats.dead << " dead, the oldest " << stats.oldest_age.value().count()
       << "\n";
  return text.str();
}

}  // namespace fairlane::test
