// SQLite's C interface: a connection, statements and transactions that clean up after themselves.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairlane::sqlite {

/// Threads: one at a time.
/// Errors: `TransportError`, by SQLite's code.
class Database {
 public:
  /// Makes the file if it is not there, for its owner alone.
  Database(const std::string& path, int busy_timeout_ms);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  sqlite3* handle() const noexcept { return handle_; }
  /// One or several statements, without results.
  void execute(const char* sql);
  /// Begins and ends transactions, at less than `execute` costs.
  void begin();
  int commit() noexcept;
  /// Throws what a code other than OK, ROW and DONE means.
  void check(int code) const;
  [[noreturn]] void fail(int code) const;

 private:
  void prepare(const char* sql, sqlite3_stmt*& statement);
  void close() noexcept;
  static int wait_for_lock(void* self, int tries) noexcept;

  const std::chrono::milliseconds busy_timeout_;
  std::chrono::steady_clock::time_point gives_up_;
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
};

/// A prepared statement, used again and again.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// One execution. It holds nothing of the database once it is destroyed.
  class Run {
   public:
    explicit Run(Statement& statement) noexcept : statement_(statement) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run() { sqlite3_reset(statement_.handle_); }

    /// Whether there is a row, or another one.
    bool next();
    void finish() {
      while (next()) {
      }
    }
    std::int64_t integer(int column) const noexcept {
      return sqlite3_column_int64(statement_.handle_, column);
    }
    /// Valid until the next row.
    std::string_view bytes(int column) const noexcept;

   private:
    Statement& statement_;
  };

  /// Binds the values in order and begins. Bound bytes are not copied: they have to last.
  template <class... Values>
  Run with(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
    return Run(*this);
  }

 private:
  void bind(int place, std::int64_t value) { check(sqlite3_bind_int64(handle_, place, value)); }
  void bind(int place, std::uint64_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, int value) { bind(place, std::int64_t{value}); }
  void bind(int place, unsigned value) { bind(place, std::int64_t{value}); }
  void bind(int place, bool value) { bind(place, std::int64_t{value ? 1 : 0}); }
  void bind(int place, std::string_view bytes);
  void check(int code) const { database_.check(code); }

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// A write transaction, from its beginning the only one. Rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.begin(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// Errors: `outcome_unknown` where the disk failed in the midst of it.
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace fairlane::sqlite
