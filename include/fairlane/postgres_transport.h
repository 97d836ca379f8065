// The transport on PostgreSQL: many processes of many machines, durable as their server is.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "fairlane/clock.h"
#include "fairlane/options.h"
#include "fairlane/transport.h"

namespace fairlane {

/// How to open a queue on a server of PostgreSQL's.
struct PostgresOptions {
  /// As libpq takes it: a URL (`postgresql://user@host/database?sslmode=verify-full`) or words
  /// (`host=.. dbname=..`). What it does not name comes from libpq's environment variables.
  std::string conninfo = {};
  /// At most 1,024 bytes. Several queues may share a database.
  std::string queue_name = "default";
  /// A rule that is not named is the stored one; naming another than that is `incompatible`.
  QueueOptions queue = {};
  /// Lays the named rules over the stored ones instead; every process that has the queue open
  /// follows from its next call on.
  bool change_options = false;
  /// Makes the tables if they are not there. Without, opening such a database is `incompatible`.
  bool create_schema = true;
  /// How many calls are under way at once, each on a connection of its own; more take turns.
  /// Connections are made as they are needed. At least 1. One more listens to other
  /// processes, and tells them.
  std::size_t max_connections = 8;
  /// Behind a proxy that gives each transaction another connection of the server's: nothing is
  /// prepared or set for the length of a session. Calls cost more, and `statement_timeout` is the
  /// server's own.
  bool pooled = false;
  /// How long a call works or waits for others' locks before it is `unavailable`. Zero: no limit.
  Duration statement_timeout = std::chrono::seconds(30);
  /// For each address of the server; whole seconds, two at the least. Unless `conninfo` says so.
  Duration connect_timeout = std::chrono::seconds(10);
  /// For tests: a clock that they move by hand; then everyone who opens the queue has to use it.
  /// Null: the server's clock.
  std::shared_ptr<Clock> clock = nullptr;
};

/// Opens a queue, and makes the tables and the queue if they are not there.
///
/// Threads:    as Transport. Up to `max_connections` calls run at once.
/// Atomicity:  each call is one transaction, and one round trip; a batch too.
/// Durability: what a commit of the server survives. Leases, parks, suspensions, attempts and dead
///             letters survive processes and the server's restart. Leases stay usable after `close`
///             and open, and through another transport of the same queue.
/// Errors:     `std::invalid_argument` for a conninfo that cannot be read, or a clock that is not
///             moved by hand; `incompatible` for other rules, or tables of a newer Fairlane;
///             `unavailable` if the server cannot be reached or refuses; after `close`, `closed`.
///             No text holds the password.
std::unique_ptr<Transport<Bytes>> open_postgres(const PostgresOptions& options);

/// The statements that make the tables, for a database in which the programs may not create any:
/// `fairlane schema postgresql | psql`.
std::string postgres_schema();

/// Makes `open` know `postgresql://..` and `postgres://..`. The parameters `queue=NAME`,
/// `max_connections=N`, `statement_timeout_ms=N`, `create_schema=0` and `pooled=1` are Fairlane's,
/// all others libpq's. Call it once, before; twice is fine.
void register_postgres();

}  // namespace fairlane
