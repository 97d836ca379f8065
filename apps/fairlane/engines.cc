#include "engines.h"

#include <fmt/format.h>

#include <stdexcept>

#ifdef FAIRLANE_HAS_POSTGRES
#include "fairlane/postgres_transport.h"
#endif
#ifdef FAIRLANE_HAS_REDIS
#include "fairlane/redis_transport.h"
#endif
#ifdef FAIRLANE_HAS_SHARDED
#include "fairlane/sharded_transport.h"
#endif
#ifdef FAIRLANE_HAS_SQLITE
#include "fairlane/sqlite_transport.h"
#endif

namespace fairlane::command {

void register_engines() {
#ifdef FAIRLANE_HAS_POSTGRES
  register_postgres();
#endif
#ifdef FAIRLANE_HAS_REDIS
  register_redis();
#endif
#ifdef FAIRLANE_HAS_SHARDED
  register_sharded();
#endif
#ifdef FAIRLANE_HAS_SQLITE
  register_sqlite();
#endif
}

std::string schema_of(std::string_view engine) {
  std::string known = "memory";
  if (engine == "memory") return {};
#ifdef FAIRLANE_HAS_POSTGRES
  if (engine == "postgresql") return postgres_schema();
  known += ", postgresql";
#endif
#ifdef FAIRLANE_HAS_REDIS
  if (engine == "redis") return {};
  known += ", redis";
#endif
#ifdef FAIRLANE_HAS_SHARDED
  if (engine == "sharded") return {};  // Its stores may; they are engines of their own.
  known += ", sharded";
#endif
#ifdef FAIRLANE_HAS_SQLITE
  if (engine == "sqlite") return {};
  known += ", sqlite";
#endif
  throw std::invalid_argument(fmt::format("no engine \"{}\"; known: {}", engine, known));
}

}  // namespace fairlane::command
