// The least that an ordered queue per key does on SQLite: bare prepared statements of the same
// shape.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlane::bench {

/// A counter, groups by turn, messages by group; no leases, expiry, attempts, limits or options.
/// Each call is one write transaction.
class SqliteFloor {
 public:
  struct Claim {
    std::int64_t group = 0;
    std::int64_t seq = 0;
    std::int64_t messages = 0;
  };

  SqliteFloor(const std::string& path, bool full) {
    check(sqlite3_open(path.c_str(), &database_));
    execute("PRAGMA journal_mode = WAL");
    execute(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    execute(
        "CREATE TABLE counter (last_seq INTEGER, last_claim INTEGER) STRICT;"
        "INSERT INTO counter VALUES (0, 0);"
        "CREATE TABLE grp (id INTEGER PRIMARY KEY, name BLOB UNIQUE, messages INTEGER, head_seq "
        "INTEGER, turn INTEGER, busy INTEGER) STRICT;"
        "CREATE INDEX claimable ON grp (turn, head_seq) WHERE busy = 0;"
        "CREATE TABLE message (grp INTEGER, seq INTEGER, event BLOB, PRIMARY KEY (grp, seq)) "
        "STRICT, WITHOUT ROWID");
    prepare(count_, "SELECT last_seq, last_claim FROM counter");
    prepare(seq_, "UPDATE counter SET last_seq = ?");
    prepare(turn_, "UPDATE counter SET last_claim = ?");
    prepare(find_, "SELECT id FROM grp WHERE name = ?");
    prepare(grow_, "UPDATE grp SET messages = messages + 1 WHERE id = ?");
    prepare(add_, "INSERT INTO grp VALUES (NULL, ?1, 1, ?2, 0, 0)");
    prepare(insert_, "INSERT INTO message VALUES (?, ?, ?)");
    prepare(
        first_,
        "SELECT id, head_seq, messages FROM grp WHERE busy = 0 ORDER BY turn, head_seq LIMIT 1");
    prepare(lease_, "UPDATE grp SET busy = 1, turn = ?2 WHERE id = ?1");
    prepare(read_, "SELECT event FROM message WHERE grp = ? AND seq = ?");
    prepare(remove_, "DELETE FROM message WHERE grp = ? AND seq = ?");
    prepare(next_, "SELECT seq FROM message WHERE grp = ? AND seq > ? ORDER BY seq LIMIT 1");
    prepare(advance_,
            "UPDATE grp SET head_seq = ?2, messages = messages - 1, busy = 0 WHERE id = ?1");
    prepare(drop_, "DELETE FROM grp WHERE id = ?");
    prepare(begin_, "BEGIN IMMEDIATE");
    prepare(commit_, "COMMIT");
  }
  SqliteFloor(const SqliteFloor&) = delete;
  SqliteFloor& operator=(const SqliteFloor&) = delete;
  ~SqliteFloor() {
    for (auto* const each : {count_, seq_, turn_, find_, grow_, add_, insert_, first_, lease_,
                             read_, remove_, next_, advance_, drop_, begin_, commit_}) {
      sqlite3_finalize(each);
    }
    sqlite3_close(database_);
  }

  void publish(std::string_view name, std::string_view event) {
    run(begin_);
    put(name, event);
    run(commit_);
  }
  template <class Each>
  void publish_many(std::uint64_t count, Each each) {
    run(begin_);
    for (std::uint64_t i = 0; i < count; ++i) put(each(i), "event");
    run(commit_);
  }
  Claim claim() {
    run(begin_);
    const Claim claimed = take();
    run(commit_);
    return claimed;
  }
  void ack(const Claim& claim) {
    run(begin_);
    finish(claim);
    run(commit_);
  }
  Claim ack_claim(const Claim& claim) {
    run(begin_);
    finish(claim);
    const Claim claimed = take();
    run(commit_);
    return claimed;
  }

 private:
  void put(std::string_view name, std::string_view event) {
    const auto seq = next(seq_, 0);
    const auto bind_name = [&](sqlite3_stmt* statement) {
      sqlite3_bind_blob(statement, 1, name.data(), static_cast<int>(name.size()), SQLITE_STATIC);
    };
    bind_name(find_);
    std::int64_t group = 0;
    if (sqlite3_step(find_) == SQLITE_ROW) group = sqlite3_column_int64(find_, 0);
    sqlite3_reset(find_);
    if (group != 0) {
      sqlite3_bind_int64(grow_, 1, group);
      run(grow_);
    } else {
      bind_name(add_);
      sqlite3_bind_int64(add_, 2, seq);
      run(add_);
      group = sqlite3_last_insert_rowid(database_);
    }
    sqlite3_bind_int64(insert_, 1, group);
    sqlite3_bind_int64(insert_, 2, seq);
    sqlite3_bind_blob(insert_, 3, event.data(), static_cast<int>(event.size()), SQLITE_STATIC);
    run(insert_);
  }
  Claim take() {
    if (sqlite3_step(first_) != SQLITE_ROW) throw std::runtime_error("nothing to claim");
    const Claim claimed{sqlite3_column_int64(first_, 0), sqlite3_column_int64(first_, 1),
                        sqlite3_column_int64(first_, 2)};
    sqlite3_reset(first_);
    const auto turn = next(turn_, 1);
    bind(lease_, claimed.group, turn);
    run(lease_);
    bind(read_, claimed.group, claimed.seq);
    if (sqlite3_step(read_) != SQLITE_ROW) throw std::runtime_error("no message");
    sqlite3_reset(read_);
    return claimed;
  }
  void finish(const Claim& claim) {
    bind(remove_, claim.group, claim.seq);
    run(remove_);
    bind(next_, claim.group, claim.seq);
    const bool more = sqlite3_step(next_) == SQLITE_ROW;
    const auto next = more ? sqlite3_column_int64(next_, 0) : 0;
    sqlite3_reset(next_);
    if (!more) {
      sqlite3_bind_int64(drop_, 1, claim.group);
      return run(drop_);
    }
    bind(advance_, claim.group, next);
    run(advance_);
  }

  static void bind(sqlite3_stmt* statement, std::int64_t first, std::int64_t second) {
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, second);
  }
  void run(sqlite3_stmt* statement) const {
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) code = sqlite3_step(statement);
    sqlite3_reset(statement);
    if (code != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database_));
  }
  /// One of the two counters, counted on.
  std::int64_t next(sqlite3_stmt* save, int column) const {
    if (sqlite3_step(count_) != SQLITE_ROW) throw std::runtime_error(sqlite3_errmsg(database_));
    const auto value = sqlite3_column_int64(count_, column) + 1;
    sqlite3_reset(count_);
    sqlite3_bind_int64(save, 1, value);
    run(save);
    return value;
  }
  void prepare(sqlite3_stmt*& statement, const char* sql) {
    check(sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  }
  void execute(const char* sql) { check(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt *count_ = nullptr, *seq_ = nullptr, *turn_ = nullptr, *find_ = nullptr,
               *grow_ = nullptr, *add_ = nullptr, *insert_ = nullptr, *first_ = nullptr,
               *lease_ = nullptr, *read_ = nullptr, *remove_ = nullptr, *next_ = nullptr,
               *advance_ = nullptr, *drop_ = nullptr, *begin_ = nullptr, *commit_ = nullptr;
};

}  // namespace fairlane::bench
