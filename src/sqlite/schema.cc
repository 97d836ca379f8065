#include "sqlite/schema.h"

#include <random>

#include "fairlane/error.h"

namespace fairlane::sqlite {

namespace {

constexpr std::int64_t schema_version = 1;

// Instants and durations are nanoseconds. Bytes of users stand in BLOBs: they may hold anything.
//
// A group's record is there as long as it holds messages. Only its head can be in flight, so the
// lease is the record's, and so are the attempts: a message behind the head was never claimed.
//   state    0 free, 1 leased, 2 parked; its last instant is `expiry`
//   fence    of the current lease, 0: none; outlives an expiry
//   turn     the rotation's key: last_claimed_at, or the place in line
constexpr const char* schema = R"sql(
CREATE TABLE fairlane_schema (version INTEGER NOT NULL) STRICT;

CREATE TABLE fairlane_queue (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  store INTEGER NOT NULL,
  rotation INTEGER NOT NULL,
  when_exhausted INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  max_messages INTEGER NOT NULL,
  max_group_messages INTEGER NOT NULL,
  max_event_bytes INTEGER NOT NULL,
  last_now INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_fence INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  messages INTEGER NOT NULL  -- counted only while max_messages is set
) STRICT;

CREATE TABLE fairlane_group (
  id INTEGER PRIMARY KEY,
  queue INTEGER NOT NULL,
  group_id BLOB NOT NULL,
  priority INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  last_claimed_at INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  head_seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  state INTEGER NOT NULL,
  suspended INTEGER NOT NULL,
  expiry INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  worker_id BLOB NOT NULL,
  UNIQUE (queue, group_id)
) STRICT;
CREATE INDEX fairlane_claimable ON fairlane_group (queue, priority, turn, head_seq)
  WHERE state = 0 AND suspended = 0;
CREATE INDEX fairlane_in_flight ON fairlane_group (queue, expiry) WHERE state <> 0;

CREATE TABLE fairlane_message (
  group_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  event BLOB NOT NULL,
  PRIMARY KEY (group_key, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE fairlane_suspended (
  queue INTEGER NOT NULL,
  group_id BLOB NOT NULL,
  PRIMARY KEY (queue, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fairlane_dead (
  queue INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  group_id BLOB NOT NULL,
  event BLOB NOT NULL,
  attempts INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  worker_id BLOB NOT NULL,
  reason BLOB NOT NULL,
  PRIMARY KEY (queue, seq)
) STRICT, WITHOUT ROWID;
)sql";

bool exists(Database& database, std::string_view table) {
  Statement find(database,
                 "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = CAST(? AS TEXT)");
  return find.with(table).next();
}

std::uint64_t random_identity() {
  std::random_device device;
  return (std::uint64_t{device()} << 31U ^ device()) & 0x7fff'ffff'ffff'ffffU;
}

void insert(Database& database, const std::string& name, const QueueRules& rules) {
  Statement make(database,
                 "INSERT INTO fairlane_queue VALUES "
                 "(NULL, CAST(? AS TEXT), ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)");
  make.with(std::string_view(name), random_identity(), static_cast<int>(rules.rotation),
            static_cast<int>(rules.when_exhausted), rules.max_attempts, rules.max_messages,
            rules.max_group_messages, rules.max_event_bytes)
      .finish();
}

void change(Database& database, std::int64_t id, const QueueRules& from, const QueueRules& to) {
  Statement set(
      database,
      "UPDATE fairlane_queue SET rotation = ?2, when_exhausted = ?3, max_attempts = ?4, "
      "max_messages = ?5, max_group_messages = ?6, max_event_bytes = ?7, "
      "messages = (SELECT coalesce(sum(messages), 0) FROM fairlane_group WHERE queue = ?1) "
      "WHERE id = ?1");
  set.with(id, static_cast<int>(to.rotation), static_cast<int>(to.when_exhausted), to.max_attempts,
           to.max_messages, to.max_group_messages, to.max_event_bytes)
      .finish();
  if (from.rotation == to.rotation) return;
  // Nobody stood in a line before: they line up as they would have been claimed.
  const bool line = to.rotation == Rotation::ready_order;
  Statement turn(database,
                 line ? "UPDATE fairlane_group SET turn = numbered.place FROM (SELECT id, "
                        "row_number() OVER (ORDER BY last_claimed_at, head_seq) AS place FROM "
                        "fairlane_group WHERE queue = ?1) AS numbered "
                        "WHERE fairlane_group.id = numbered.id"
                      : "UPDATE fairlane_group SET turn = last_claimed_at WHERE queue = ?1");
  turn.with(id).finish();
  Statement last(database,
                 "UPDATE fairlane_queue SET last_line = max(last_line, (SELECT count(*) FROM "
                 "fairlane_group WHERE queue = ?1)) WHERE id = ?1");
  last.with(id).finish();
}

}  // namespace

void prepare_schema(Database& database) {
  Transaction transaction(database);
  if (!exists(database, "fairlane_schema")) {
    database.execute(schema);
    Statement note(database, "INSERT INTO fairlane_schema VALUES (?)");
    note.with(schema_version).finish();
    return transaction.commit();
  }
  Statement read(database, "SELECT version FROM fairlane_schema");
  auto row = read.with();
  const auto version = row.next() ? row.integer(0) : 0;
  if (version == schema_version) return;
  throw TransportError(version > schema_version ? ErrorCode::incompatible : ErrorCode::corrupt,
                       "the file's tables are of version " + std::to_string(version) +
                           ", and this program knows " + std::to_string(schema_version));
}

QueueRecord open_queue(Database& database, const std::string& name, const QueueOptions& options,
                       bool change_options) {
  Transaction transaction(database);
  Statement find(database,
                 "SELECT id, store, rotation, when_exhausted, max_attempts, max_messages, "
                 "max_group_messages, max_event_bytes FROM fairlane_queue "
                 "WHERE name = CAST(? AS TEXT)");
  const auto read = [&]() -> QueueRecord {
    auto row = find.with(std::string_view(name));
    if (!row.next()) return {};
    QueueRecord record;
    record.id = row.integer(0);
    record.store = static_cast<std::uint64_t>(row.integer(1));
    record.rules = {
        static_cast<Rotation>(row.integer(2)),      static_cast<WhenExhausted>(row.integer(3)),
        static_cast<std::uint32_t>(row.integer(4)), static_cast<std::uint64_t>(row.integer(5)),
        static_cast<std::uint64_t>(row.integer(6)), static_cast<std::uint64_t>(row.integer(7))};
    return record;
  };
  QueueRecord record = read();
  if (record.id == 0) {
    insert(database, name, resolve(options));
    record = read();
  }
  const QueueRules wanted = resolve(options, record.rules);
  if (wanted != record.rules && !change_options) {
    throw TransportError(ErrorCode::incompatible,
                         "the queue \"" + name + "\" has other options; ask to change them");
  }
  if (wanted != record.rules) change(database, record.id, record.rules, wanted);
  record.rules = wanted;
  transaction.commit();
  return record;
}

}  // namespace fairlane::sqlite
