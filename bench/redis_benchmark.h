// Redis's own load generator, with a script of the floor: what the server does at most for clients
// that wait for each reply, or for so many at once.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness.h"

namespace fairlane::bench {

/// Reads what a command of the shell prints.
inline std::string printed_by(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  require(pipe != nullptr, "a shell");
  std::string printed;
  std::array<char, 4096> part{};
  while (const auto size = std::fread(part.data(), 1, part.size(), pipe.get())) {
    printed.append(part.data(), size);
  }
  return printed;
}

/// `redis-benchmark` on one server. Nothing: it is not installed (Debian: redis-tools).
class RedisBenchmark {
 public:
  static std::optional<RedisBenchmark> find(const std::string& host, int port) {
    if (!printed_by("command -v redis-benchmark").empty()) return RedisBenchmark(host, port);
    fmt::print(stderr, "redis: there is no redis-benchmark beside which to measure\n");
    return std::nullopt;
  }

  /// So many publishes of the floor's script, to a thousand groups at random.
  Timed publish(const std::string& script, const std::string& queue, std::size_t connections,
                std::size_t depth, std::uint64_t calls) const {
    const auto printed = printed_by(fmt::format(
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
