// Opens the transport, from options or a URL.
#include "fairlane/redis_transport.h"

#include <charconv>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/url.h"
#include "fairlane/detail/arguments.h"
#include "fairlane/open.h"
#include "redis/redis_backend.h"
#include "remote/remote_transport.h"

namespace fairlane {

std::unique_ptr<Transport<Bytes>> open_redis(const RedisOptions& options) {
  detail::check_duration(options.connect_timeout, "connect_timeout");
  detail::check_duration(options.answer_timeout, "answer_timeout");
  if (options.host.find('\0') != std::string::npos ||
      options.path.find('\0') != std::string::npos) {
    throw std::invalid_argument("the server's host or path holds a NUL");
  }
  if (options.path.empty() && (options.port < 1 || options.port > 65535)) {
    throw std::invalid_argument("a port is 1 to 65535, not " + std::to_string(options.port));
  }
  if (options.database < 0) {
    throw std::invalid_argument("a database has a number from 0 on, not " +
                                std::to_string(options.database));
  }
  if (options.connections == 0) throw std::invalid_argument("connections is 0");
  if (options.clock != nullptr && !options.clock->is_moved_by_hand()) {
    throw std::invalid_argument(
        "a queue on Redis goes by the server's clock, and takes only one that a test moves by "
        "hand");
  }
  return remote::make_transport(std::make_unique<redis::RedisBackend>(options));
}

namespace {

template <class Number>
Number number_of(std::string_view text, const std::string& name, Number least) {
  Number number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, number);
  if (text.empty() || fault != std::errc() || stopped != end || number < least) {
    throw std::invalid_argument("redis: " + name + " is a number from " + std::to_string(least) +
                                " on, not \"" + std::string(text) + "\"");
  }
  return number;
}

/// What stands before the "?": user, password and the rest, without the "//".
std::string_view take_credentials(std::string_view text, RedisOptions& options) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return text;
  const std::string_view who = text.substr(0, at);
  const auto colon = who.find(':');
  try {
    if (colon == std::string_view::npos) {
      options.user = common::parse_url(who).path;
    } else {
      options.user = common::parse_url(who.substr(0, colon)).path;
      options.password = common::parse_url(who.substr(colon + 1)).path;
    }
  } catch (const std::invalid_argument&) {  // Its text would show them.
    throw std::invalid_argument(
        "redis: a % in the URL's user or password begins no two hexadecimal "
        "digits");
  }
  return text.substr(at + 1);
}

void take_host(std::string_view text, RedisOptions& options) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos && slash + 1 < text.size()) {
    options.database = number_of(text.substr(slash + 1), "the database", 0);
  }
  std::string_view host = text.substr(0, slash);
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');  // Of an IPv6 address.
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon)) {
    options.port = number_of(host.substr(colon + 1), "the port", 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!host.empty()) options.host = common::parse_url(host).path;
}

void take_parameters(const std::map<std::string, std::string>& parameters, RedisOptions& options) {
  using std::chrono::milliseconds;
  for (const auto& [name, value] : parameters) {
    if (name == "queue") {
      options.queue_name = value;
    } else if (name == "connections") {
      options.connections = number_of<std::size_t>(value, name, 1);
    } else if (name == "connect_timeout_ms") {
      options.connect_timeout = milliseconds(number_of<std::int64_t>(value, name, 1));
    } else if (name == "answer_timeout_ms") {
      options.answer_timeout = milliseconds(number_of<std::int64_t>(value, name, 1));
    } else if (name == "database" && !options.path.empty()) {
      options.database = number_of(value, name, 0);
    } else {
      throw std::invalid_argument("redis: does not know the parameter \"" + name +
                                  "\"; it knows queue, connections, connect_timeout_ms, "
                                  "answer_timeout_ms, and with a path database");
    }
  }
}

std::unique_ptr<Transport<Bytes>> open_url(std::string_view rest, bool is_path,
                                           const OpenOptions& options) {
  RedisOptions redis{
      .queue = options.queue, .change_options = options.change_options, .clock = options.clock};
  const auto question = rest.find('?');
  std::string_view place = rest.substr(0, question);
  if (!place.starts_with("//")) {
    throw std::invalid_argument(is_path ? "redis+unix: is followed by \"//\" and a path"
                                        : "redis: is followed by \"//\" and a host");
  }
  place = take_credentials(place.substr(2), redis);
  if (is_path) {
    redis.path = common::parse_url(place).path;
    if (redis.path.empty()) throw std::invalid_argument("redis+unix: names no path");
  } else {
    take_host(place, redis);
  }
  if (question != std::string_view::npos) {
    take_parameters(common::parse_url(rest.substr(question)).parameters, redis);
  }
  return open_redis(redis);
}

}  // namespace

void register_redis() {
  register_engine("redis", [](std::string_view rest, const OpenOptions& options) {
    return open_url(rest, false, options);
  });
  register_engine("redis+unix", [](std::string_view rest, const OpenOptions& options) {
    return open_url(rest, true, options);
  });
  register_engine(
      "rediss", [](std::string_view, const OpenOptions&) -> std::unique_ptr<Transport<Bytes>> {
        throw std::invalid_argument(
            "rediss: connections to Redis are not encrypted by this program; use redis: through a "
            "tunnel");
      });
}

}  // namespace fairlane
