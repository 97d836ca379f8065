// libpq's interface: one connection, and what becomes of a call when it breaks.
#pragma once

#include <libpq-fe.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "fairlane/duration.h"
#include "postgres/result.h"

namespace fairlane::postgres {

/// How to connect, read once and kept: what libpq was given, and this program's own settings.
struct Target {
  std::map<std::string, std::string> words;  ///< libpq's, by name
  Duration statement_timeout = {};           ///< zero: none
  bool pooled = false;  ///< sessions are not this program's own: it leaves nothing in them
};

/// Reads what libpq takes. Errors: `std::invalid_argument`, whose text repeats nothing of it.
Target parse_target(const std::string& conninfo);

/// One statement of the schema's, by its name on the connection.
struct Statement {
  const char* name;
  const char* sql;
  /// It changes nothing, so when its answer is lost nothing can have been stored.
  bool only_looks = false;
};

/// The connection was found broken before the call was sent: it may be made on another one.
class NotSent {};

/// Threads: one at a time.
/// Errors:  `unavailable` if it cannot connect, if the server refused a call, or broke while it
///          only looked; `outcome_unknown` if it broke in the midst of another; `Undone`.
class Connection {
 public:
  explicit Connection(const Target& target);
  ~Connection() { PQfinish(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Whether the server is still there, as far as can be seen without asking it.
  bool is_alive() noexcept;
  /// Whether a call may be made: it broke otherwise, or is in the midst of one that was given up.
  bool is_usable() const noexcept { return !broken_ && PQstatus(handle_) == CONNECTION_OK; }

  Result execute(const Statement& statement, const Parameters& parameters);
  /// In the midst of a transaction that shall not be: the connection is of no use any more.
  void abandon() noexcept { broken_ = true; }
  /// Statements without parameters, in one go, that change no table.
  void run(const std::string& sql);

  // For the one that listens.
  int pid() const noexcept { return PQbackendPID(handle_); }
  int socket() const noexcept { return PQsocket(handle_); }
  /// Hands over the texts of what other connections notified; false: the connection broke.
  bool take_notifications(const std::function<void(std::string_view text)>& take);

 private:
  void prepare(const Statement& statement, const Parameters& parameters);
  void send(bool was_sent);
  /// Waits for the whole answer; null: the session does not know the statement, or knows it
  /// already.
  std::unique_ptr<Result> receive(bool only_looks);
  [[noreturn]] void fail_lost(bool only_looks, const std::string& why);
  void await_answer(bool only_looks);
  std::string fault() const;

  const Target& target_;
  PGconn* handle_ = nullptr;
  bool broken_ = false;
  bool ended_ = false;    // The server said that it ends the connection.
  bool prepares_ = true;  // Until one is found to be forgotten.
  std::set<std::string_view> prepared_;
};

}  // namespace fairlane::postgres
