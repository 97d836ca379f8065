// A queue of a test's own, and connections beside the transport's to step through what it does.
#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "fairlane/error.h"
#include "fairlane/open.h"
#include "fairlane/postgres_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "support/postgres.h"

namespace fairlane::postgres {

/// A connection of a test's own: statements one by one, also such that have to wait.
class Session {
 public:
  explicit Session(const std::string& conninfo = test::postgres_url())
      : handle_(PQconnectdb(conninfo.c_str())) {
    if (PQstatus(handle_) == CONNECTION_OK) return;
    const std::string why = PQerrorMessage(handle_);
    PQfinish(handle_);
    throw std::runtime_error(why);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { PQfinish(handle_); }

  /// The first value of the last statement's answer; throws what the server says.
  std::string run(const std::string& sql) {
    start(sql);
    return finish();
  }
  /// Begins without waiting for the end.
  void start(const std::string& sql) {
    if (PQsendQuery(handle_, sql.c_str()) == 0) throw std::runtime_error(PQerrorMessage(handle_));
  }
  std::string finish() {
    std::string value;
    std::string fault;
    while (PGresult* const result = PQgetResult(handle_)) {
      const auto status = PQresultStatus(result);
      if (status == PGRES_FATAL_ERROR) fault = PQresultErrorMessage(result);
      if (status == PGRES_TUPLES_OK && PQntuples(result) > 0) value = PQgetvalue(result, 0, 0);
      PQclear(result);
    }
    if (!fault.empty()) throw std::runtime_error(fault);
    return value;
  }
  bool is_waiting(Session& watcher) {
    return watcher.run(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
               "pid = " +
               std::to_string(PQbackendPID(handle_))) == "1";
  }
  /// Returns once the started statement waits for a lock.
  void await_waiting() {
    Session watcher(PQhost(handle_), PQport(handle_), *this);
    while (!is_waiting(watcher)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PGconn* handle() const noexcept { return handle_; }

 private:
  /// The same server and database as another's.
  Session(const std::string& host, const std::string& port, const Session& other)
      : handle_(PQsetdbLogin(host.c_str(), port.c_str(), nullptr, nullptr, PQdb(other.handle_),
                             PQuser(other.handle_), PQpass(other.handle_))) {}

  PGconn* handle_;
};

/// A URL with one parameter more.
inline std::string with_parameter(const std::string& url, const std::string& parameter) {
  return url + (url.find('?') == std::string::npos ? '?' : '&') + parameter;
}

/// The same server with another database, or another role.
inline std::string with_database(std::string url, const std::string& database) {
  const auto begin = url.find('/', url.find("//") + 2);
  const auto end = std::min(url.find('?'), url.size());
  if (begin == std::string::npos) return url + "/" + database;
  return url.replace(begin, end - begin, "/" + database);
}
inline std::string with_role(std::string url, const std::string& role,
                             const std::string& password) {
  const auto begin = url.find("//") + 2;
  const auto at = url.find('@');
  return url.replace(begin, at == std::string::npos ? 0 : at + 1 - begin,
                     role + ":" + password + "@");
}

/// A database of a test's own, without tables.
class Database {
 public:
  Database() { Session().run("CREATE DATABASE " + name_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    for (int left = 200;; --left) {
      try {
        Session().run("DROP DATABASE " + name_ + " WITH (FORCE)");
        return;
      } catch (const std::exception& error) {
        // The server's own worker may be at it, which nobody but a superuser ends.
        if (left == 0) {
          ADD_FAILURE() << error.what();
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }
  std::string url() const { return with_database(test::postgres_url(), name_); }
  const std::string& name() const noexcept { return name_; }

 private:
  const std::string name_ = test::fresh_name("db");
};

class PostgresTest : public ::testing::Test {
 protected:
  /// By a clock that stands still.
  PostgresOptions options() const {
    return {.conninfo = test::postgres_url(), .queue_name = queue, .clock = clock};
  }
  /// By the server's clock.
  PostgresOptions by_server_clock() const {
    auto options = this->options();
    options.clock = nullptr;
    return options;
  }
  std::unique_ptr<Transport<Bytes>> open() const { return open_postgres(options()); }
  std::unique_ptr<Transport<Bytes>> open_by_server_clock() const {
    return open_postgres(by_server_clock());
  }

  /// Of the queue, once it was opened.
  static std::string id_of(const std::string& queue) {
    return Session().run("SELECT id FROM fairlane.queue WHERE name = '" + queue + "'::bytea");
  }

  /// The error that a call raises.
  template <class Call>
  static TransportError raised_by(Call call) {
    try {
      call();
    } catch (const TransportError& error) {
      return error;
    }
    ADD_FAILURE() << "no error was raised";
    return {ErrorCode::not_found, ""};
  }
  template <class Call>
  static ErrorCode error_of(Call call) {
    return raised_by(call).code();
  }

  const std::string queue = test::fresh_name();
  const std::shared_ptr<testing::ManualClock> clock =
      std::make_shared<testing::ManualClock>(Instant(std::chrono::seconds(1)));
};

}  // namespace fairlane::postgres
