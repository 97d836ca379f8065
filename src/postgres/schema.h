// The tables and functions, their version, and the record of a queue.
#pragma once

#include <cstdint>
#include <string>

#include "fairlane/clock.h"
#include "fairlane/postgres_transport.h"
#include "postgres/connection.h"

namespace fairlane::postgres {

/// All of sql/, in order.
std::string schema_text();

/// Makes the tables, or checks that they are of a version this program knows.
/// Errors: `incompatible` if they are newer, or not there and not to be made.
void prepare_schema(Connection& connection, bool create);

struct QueueRecord {
  std::int32_t id = 0;
  std::uint64_t store = 0;  ///< the identity that leases carry; random, kept in the table
  Instant server_now = {};
};

/// Finds or makes the queue. Errors: `incompatible` if rules are named that differ from its own,
/// unless they shall be changed.
QueueRecord open_queue(Connection& connection, const PostgresOptions& options);

}  // namespace fairlane::postgres
