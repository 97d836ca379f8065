#include "fairlane/postgres_transport.h"

#include <charconv>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/url.h"
#include "fairlane/detail/arguments.h"
#include "fairlane/open.h"
#include "postgres/backend.h"
#include "postgres/schema.h"
#include "remote/remote_transport.h"

namespace fairlane {

std::unique_ptr<Transport<Bytes>> open_postgres(const PostgresOptions& options) {
  detail::check_duration(options.statement_timeout, "statement_timeout");
  detail::check_duration(options.connect_timeout, "connect_timeout");
  constexpr std::size_t longest_name = 1024;
  if (options.queue_name.size() > longest_name) {
    throw std::invalid_argument("queue_name has " + std::to_string(options.queue_name.size()) +
                                " bytes; at most " + std::to_string(longest_name));
  }
  if (options.max_connections == 0) throw std::invalid_argument("max_connections is 0");
  if (options.clock != nullptr && !options.clock->is_moved_by_hand()) {
    throw std::invalid_argument(
        "the time of a queue on PostgreSQL is the server's; only a clock that a test moves by hand "
        "may stand in for it");
  }
  return remote::make_transport(std::make_unique<postgres::PostgresBackend>(options));
}

std::string postgres_schema() { return "BEGIN;\n\n" + postgres::schema_text() + "\nCOMMIT;\n"; }

namespace {

std::int64_t number_of(std::string_view name, std::string_view value, std::int64_t least,
                       std::int64_t most) {
  std::int64_t number = 0;
  const auto* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= least && number <= most) return number;
  throw std::invalid_argument("postgresql: " + std::string(name) + " is a number from " +
                              std::to_string(least) + " to " + std::to_string(most) + ", not \"" +
                              std::string(value) + "\"");
}

/// Takes what is Fairlane's out of the URL; whether it was that.
bool take(PostgresOptions& options, std::string_view name, const std::string& value) {
  if (name == "queue") {
    options.queue_name = value;
  } else if (name == "max_connections") {
    options.max_connections = static_cast<std::size_t>(number_of(name, value, 1, 10'000));
  } else if (name == "statement_timeout_ms") {
    options.statement_timeout = std::chrono::milliseconds(number_of(name, value, 0, 0x7fff'ffff));
  } else if (name == "create_schema") {
    options.create_schema = number_of(name, value, 0, 1) != 0;
  } else if (name == "pooled") {
    options.pooled = number_of(name, value, 0, 1) != 0;
  } else {
    return false;
  }
  return true;
}

std::unique_ptr<Transport<Bytes>> open_url(std::string_view rest, const OpenOptions& options) {
  PostgresOptions postgres{
      .queue = options.queue, .change_options = options.change_options, .clock = options.clock};
  const auto question = rest.find('?');
  postgres.conninfo = "postgresql:" + std::string(rest.substr(0, question));
  char separator = '?';
  std::set<std::string> names;
  const auto query =
      question == std::string_view::npos ? std::string_view() : rest.substr(question);
  for (std::string_view left = query; !left.empty();) {
    left.remove_prefix(1);
    const auto pair = left.substr(0, left.find('&'));
    left.remove_prefix(pair.size());
    if (pair.empty()) continue;
    const auto parsed = common::parse_url("?" + std::string(pair)).parameters;
    if (!names.insert(parsed.begin()->first).second) {
      throw std::invalid_argument("postgresql: " + parsed.begin()->first + " is given twice");
    }
    if (take(postgres, parsed.begin()->first, parsed.begin()->second)) continue;
    postgres.conninfo.append(1, separator).append(pair);
    separator = '&';
  }
  return open_postgres(postgres);
}

}  // namespace

void register_postgres() {
  register_engine("postgresql", open_url);
  register_engine("postgres", open_url);
}

}  // namespace fairlane
