// The tables, their version, and the record of a queue.
#pragma once

#include <cstdint>
#include <string>

#include "fairlane/options.h"
#include "sqlite/database.h"

namespace fairlane::sqlite {

/// Makes the tables, or checks that they are of a version this program knows.
/// Errors: `incompatible` if they are newer.
void prepare_schema(Database& database);

struct QueueRecord {
  std::int64_t id = 0;
  std::uint64_t store = 0;  ///< the identity that leases carry; random, kept in the file
  QueueRules rules = {};
};

/// Finds or makes the queue. Errors: `incompatible` if rules are named that differ from its own,
/// unless they shall be changed.
QueueRecord open_queue(Database& database, const std::string& name, const QueueOptions& options,
                       bool change_options);

}  // namespace fairlane::sqlite
