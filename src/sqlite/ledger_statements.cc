// The statements of the ledger, one for each thing that is done to the tables.
#include "sqlite/ledger.h"

namespace fairlane::sqlite {

namespace {

// In the order in which `Ledger::read` takes them.
#define GROUP_COLUMNS                                                                         \
  "id, group_id, priority, messages, last_claimed_at, head_seq, attempts, state, suspended, " \
  "expiry, fence, worker_id "

}  // namespace

Ledger::Ledger(Database& database, std::int64_t queue, std::uint64_t store)
    : database_(database),
      queue_(queue),
      store_(store),
      read_queue_(database,
                  "SELECT rotation, when_exhausted, max_attempts, max_messages, "
                  "max_group_messages, max_event_bytes, last_now, last_seq, last_fence, last_line, "
                  "messages FROM fairlane_queue WHERE id = ?"),
      save_queue_(database,
                  "UPDATE fairlane_queue SET last_now = ?2, last_seq = ?3, last_fence = ?4, "
                  "last_line = ?5, messages = ?6 WHERE id = ?1"),
      has_expired_(database,
                   "SELECT 1 FROM fairlane_group WHERE queue = ? AND state <> 0 AND expiry < ? "
                   "LIMIT 1"),
      free_expired_(database,
                    "UPDATE fairlane_group SET state = 0 WHERE id IN (SELECT id FROM "
                    "fairlane_group WHERE queue = ?1 AND state <> 0 AND expiry < ?2 "
                    "AND NOT (?3 <> 0 AND state = 1 AND attempts >= ?3) ORDER BY expiry LIMIT ?4)"),
      find_exhausted_(database,
                      "SELECT " GROUP_COLUMNS
                      "FROM fairlane_group WHERE queue = ?1 AND state <> 0 AND expiry < ?2 "
                      "AND state = 1 AND attempts >= ?3 ORDER BY expiry LIMIT 1"),
      find_group_(database,
                  "SELECT " GROUP_COLUMNS "FROM fairlane_group WHERE queue = ? AND group_id = ?"),
      find_current_(database, "SELECT " GROUP_COLUMNS
                              "FROM fairlane_group WHERE queue = ? AND group_id = ? AND fence = ?"),
      find_claimable_(database, "SELECT " GROUP_COLUMNS
                                ", turn FROM fairlane_group INDEXED BY fairlane_claimable "
                                "WHERE queue = ? AND priority >= ? AND state = 0 AND suspended = 0 "
                                "ORDER BY priority, turn, head_seq LIMIT 1"),
      insert_group_(
          database,
          "INSERT INTO fairlane_group VALUES (NULL, ?1, ?2, ?3, 0, 0, ?4, 0, 0, 0, ?5, 0, "
          "0, x'')"),
      grow_group_(database,
                  "UPDATE fairlane_group SET messages = messages + 1, "
                  "head_seq = CASE messages WHEN 0 THEN ?2 ELSE head_seq END WHERE id = ?1"),
      cut_group_(database, "UPDATE fairlane_group SET messages = ?2 WHERE id = ?1"),
      free_group_(database,
                  "UPDATE fairlane_group SET state = 0, attempts = ?2, fence = ?3 WHERE id = ?1"),
      lease_group_(database,
                   "UPDATE fairlane_group SET state = 1, attempts = attempts + 1, "
                   "last_claimed_at = ?2, turn = ?3, expiry = ?4, fence = ?5, worker_id = ?6 "
                   "WHERE id = ?1"),
      fly_group_(database,
                 "UPDATE fairlane_group SET state = ?2, expiry = ?3, fence = ?4 WHERE id = ?1"),
      advance_head_(database,
                    "UPDATE fairlane_group SET head_seq = ?2, messages = messages - 1, "
                    "attempts = 0, state = 0, fence = 0 WHERE id = ?1"),
      delete_group_(database, "DELETE FROM fairlane_group WHERE id = ?"),
      insert_message_(database, "INSERT INTO fairlane_message VALUES (?, ?, ?, ?)"),
      read_message_(database, "SELECT event FROM fairlane_message WHERE group_key = ? AND seq = ?"),
      delete_message_(database, "DELETE FROM fairlane_message WHERE group_key = ? AND seq = ?"),
      delete_messages_(database, "DELETE FROM fairlane_message WHERE group_key = ?"),
      delete_followers_(database, "DELETE FROM fairlane_message WHERE group_key = ? AND seq > ?"),
      next_message_(database,
                    "SELECT seq FROM fairlane_message WHERE group_key = ? AND seq > ? "
                    "ORDER BY seq LIMIT 1"),
      is_suspended_(database, "SELECT 1 FROM fairlane_suspended WHERE queue = ? AND group_id = ?"),
      insert_suspended_(database, "INSERT OR IGNORE INTO fairlane_suspended VALUES (?, ?)"),
      delete_suspended_(database,
                        "DELETE FROM fairlane_suspended WHERE queue = ? AND group_id = ?"),
      mark_group_(database,
                  "UPDATE fairlane_group SET suspended = ?3 WHERE queue = ?1 AND group_id = ?2"),
      insert_dead_(database, "INSERT INTO fairlane_dead VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      read_dead_(database,
                 "SELECT group_id, event, priority FROM fairlane_dead WHERE queue = ? AND seq = ?"),
      list_dead_(database,
                 "SELECT seq, group_id, event, attempts, priority, worker_id, reason "
                 "FROM fairlane_dead WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ?"),
      delete_dead_(database, "DELETE FROM fairlane_dead WHERE queue = ? AND seq = ?"),
      count_dead_(database, "SELECT count(*) FROM fairlane_dead WHERE queue = ?"),
      list_groups_(database,
                   "SELECT group_id FROM fairlane_group WHERE queue = ?1 "
                   "AND (?2 = 0 OR group_id > ?3) ORDER BY group_id LIMIT ?4"),
      list_suspended_(database,
                      "SELECT group_id FROM fairlane_suspended WHERE queue = ?1 "
                      "AND (?2 = 0 OR group_id > ?3) ORDER BY group_id LIMIT ?4"),
      list_messages_(database,
                     "SELECT seq, event FROM fairlane_message WHERE group_key = ? ORDER BY seq "
                     "LIMIT ?"),
      count_groups_(
          database,
          "SELECT count(*), coalesce(sum(messages), 0), "
          "coalesce(sum(state = 0 AND suspended = 0), 0), coalesce(sum(state = 1), 0), "
          "coalesce(sum(state = 2), 0), "
          "coalesce(sum(CASE suspended WHEN 0 THEN 0 ELSE messages - (state <> 0) END), 0) "
          "FROM fairlane_group WHERE queue = ?"),
      oldest_message_(database,
                      "SELECT published_at FROM fairlane_message WHERE (group_key, seq) = "
                      "(SELECT id, min(head_seq) FROM fairlane_group WHERE queue = ?)"),
      next_expiry_(database,
                   "SELECT expiry FROM fairlane_group WHERE queue = ? AND state <> 0 "
                   "ORDER BY expiry LIMIT 1"),
      first_claimable_(database,
                       "SELECT priority FROM fairlane_group INDEXED BY fairlane_claimable "
                       "WHERE queue = ? AND state = 0 AND suspended = 0 ORDER BY priority DESC "
                       "LIMIT 1"),
      data_version_(database, "PRAGMA data_version") {}

}  // namespace fairlane::sqlite
