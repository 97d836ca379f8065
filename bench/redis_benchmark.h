// Redis's own load generator, with a script of the floor: what the server does at most for clients
// that wait for each reply, or for so many at once.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "harness.h"
#include "program.h"

namespace fairlane::bench {

/// `redis-benchmark` on one server. Nothing: it is not installed (Debian: redis-tools).
class RedisBenchmark {
 public:
  static std::optional<RedisBenchmark> find(const std::string& host, int port) {
    if (!run_program("command -v redis-benchmark || true").empty())
      return RedisBenchmark(host, port);
    fmt::print(stderr, "redis: there is no redis-benchmark beside which to measure\n");
    return std::nullopt;
  }

  /// So many publishes of the floor's script, to a thousand groups at random.
  Timed publish(const std::string& script, const std::string& queue, std::size_t connections,
                std::size_t depth, std::uint64_t calls) const {
    const auto printed = run_program(fmt::format(
        "redis-benchmark -h '{}' -p {} -c {} -P {} -n {} -r 1000 --csv evalsha {} 0 '{}' "
        "case-__rand_int__ event 2>/dev/null",
        host_, port_, connections, depth, calls, script, queue));
    // A line of titles, then the name of the test and its rate, both in quotes.
    const auto line = printed.find("\n\"evalsha");
    const auto comma = printed.find("\",\"", line == std::string::npos ? printed.size() : line);
    require(comma != std::string::npos, "redis-benchmark to print a rate");
    double rate = 0;
    std::from_chars(printed.data() + comma + 3, printed.data() + printed.size(), rate);
    require(rate > 0, "redis-benchmark to print a rate");
    return {static_cast<double>(calls) / rate, calls};
  }

 private:
  RedisBenchmark(std::string host, int port) : host_(std::move(host)), port_(port) {}

  std::string host_;
  int port_;
};

}  // namespace fairlane::bench
