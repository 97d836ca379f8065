#include "postgres/schema.h"

#include <optional>

#include "fairlane/error.h"

namespace fairlane::postgres {

namespace {

constexpr std::int32_t schema_version = 1;

/// NULL: the database has no such table.
std::optional<std::int32_t> read_version(Connection& connection) {
  // By the catalog itself: what a session remembers of names may be older than the lock it waited
  // for, and then a schema that another has just made would not be there.
  constexpr Statement find{
      "fairlane_find",
      "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
      "ON n.oid = c.relnamespace WHERE n.nspname = 'fairlane' AND c.relname = 'version')",
      true};
  constexpr Statement read{"fairlane_version", "SELECT max(version) FROM fairlane.version", true};
  if (!connection.execute(find, Parameters()).boolean(0)) return std::nullopt;
  return connection.execute(read, Parameters()).optional_int32(0).value_or(0);
}

/// In the tables a limit that does not fit is none; nothing holds so much.
template <class Rule>
std::optional<std::int64_t> stored(const std::optional<Rule>& rule) {
  if (!rule) return std::nullopt;
  return static_cast<std::int64_t>(*rule);
}
template <class Rule>
std::optional<std::int32_t> stored_choice(const std::optional<Rule>& rule) {
  if (!rule) return std::nullopt;
  return static_cast<std::int32_t>(*rule);
}

}  // namespace

void prepare_schema(Connection& connection, bool create) {
  auto version = read_version(connection);
  if (!version && create) {
    // One makes them; who waited for it finds them there, and makes none.
    connection.run(
        "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('fairlane: the schema', 0));");
    try {
      version = read_version(connection);
      if (!version) connection.run(schema_text());
      connection.run("COMMIT");
    } catch (...) {
      connection.abandon();
      throw;
    }
    version = version.value_or(schema_version);
  }
  if (version == schema_version) return;
  if (!version) {
    throw TransportError(ErrorCode::incompatible,
                         "the database has no tables of Fairlane's, and none are to be made");
  }
  throw TransportError(*version > schema_version ? ErrorCode::incompatible : ErrorCode::corrupt,
                       "the database's tables are of version " + std::to_string(*version) +
                           ", and this program knows " + std::to_string(schema_version));
}

QueueRecord open_queue(Connection& connection, const PostgresOptions& options) {
  constexpr Statement open{"fairlane_open",
                           "SELECT * FROM fairlane.call_open($1, $2, $3, $4, $5, $6, $7, $8)"};
  const QueueOptions& rules = options.queue;
  const Result row = connection.execute(
      open, Parameters(std::string_view(options.queue_name), stored_choice(rules.rotation),
                       stored_choice(rules.when_exhausted), stored(rules.max_attempts),
                       stored(rules.max_messages), stored(rules.max_group_messages),
                       stored(rules.max_event_bytes), options.change_options));
  if (!row.boolean(3)) {
    throw TransportError(ErrorCode::incompatible, "the queue \"" + options.queue_name +
                                                      "\" has other options; ask to change them");
  }
  return {row.int32(0), row.uint64(1), Instant(std::chrono::nanoseconds(row.int64(2)))};
}

}  // namespace fairlane::postgres
