// Queues of a test's own on the Redis server that the tests talk to.
#pragma once

#include <atomic>
#include <random>
#include <string>

#include "fairlane/redis_transport.h"
#include "support/servers.h"

namespace fairlane::test {

/// A name that no other test has, and none had.
inline std::string fresh_queue_name() {
  static const std::string run = std::to_string(std::random_device{}());
  static std::atomic<int> last{0};
  return "test-" + run + "-" + std::to_string(++last);
}

/// Where the server is, from FAIRLANE_TEST_REDIS: redis://HOST:PORT.
inline RedisOptions redis_options() {
  const std::string url = server_url("FAIRLANE_TEST_REDIS");
  const std::string scheme = "redis://";
  const auto colon = url.rfind(':');
  if (!url.starts_with(scheme) || colon < scheme.size()) {
    throw std::runtime_error("FAIRLANE_TEST_REDIS is not redis://HOST:PORT, but " + url);
  }
  RedisOptions options;
  options.host = url.substr(scheme.size(), colon - scheme.size());
  options.port = std::stoi(url.substr(colon + 1));
  options.queue_name = fresh_queue_name();
  return options;
}

}  // namespace fairlane::test
