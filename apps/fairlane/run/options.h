// What `fairlane run` or `fairlane work` was asked to do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fairlane/options.h"
#include "fairlane/worker.h"
#include "run/json_key.h"

namespace fairlane::run {

enum class Mode { exec, lines };

/// Options as the command line gives them; `validate` judges those that depend on each other.
struct RunOptions {
  /// Whether events are read and published (`run`), or those that others publish are handled under
  /// the queue's own rules (`work`).
  bool reads = true;
  bool until_empty = true;                ///< it ends once nothing is queued
  std::string worker = "worker";          ///< what the workers' names begin with
  std::vector<std::string> files = {};    ///< none: standard input
  std::vector<std::string> command = {};  ///< with its arguments
  std::string group_by = {};
  std::string priority_by = {};  ///< empty: every priority is 0
  Mode mode = Mode::exec;
  std::size_t window = 64;  ///< events with one process at once, lines mode
  std::size_t workers = 1;
  std::optional<Duration> timeout = std::nullopt;  ///< of an attempt
  Duration visibility = std::chrono::seconds(30);
  std::uint32_t max_attempts = 5;  ///< 0: no limit; where nothing is read, the queue's
  WhenExhausted when_exhausted = WhenExhausted::dead_letter;
  Rotation rotation = Rotation::oldest_claim_first;
  Backoff backoff = {};
  Duration retry_delay = std::chrono::seconds(1);
  Duration grace = std::chrono::seconds(10);
  std::int32_t min_priority = std::numeric_limits<std::int32_t>::min();
  double high_ratio = 0;
  std::int32_t priority_threshold = 0;
  std::size_t limit = 100'000;  ///< messages in memory
  std::string transport = "memory:";
  std::string results = {};     ///< file; empty: none
  std::string dead = {};        ///< file; empty: none
  std::string unfinished = {};  ///< file; empty: none
  std::string skip_bad = {};    ///< file; empty: a bad line ends reading
  bool quiet = false;

  /// Whether messages outlive the run where they are kept.
  bool is_durable() const { return transport != "memory:"; }
};

/// How often a run that ends by itself looks how many messages are in its queue.
inline std::chrono::milliseconds recount_every(const RunOptions& options) {
  return options.is_durable() && options.until_empty ? std::chrono::milliseconds(100)
                                                     : std::chrono::hours(24);
}

/// Exit codes of the command.
inline constexpr int exit_done = 0;
inline constexpr int exit_dead = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_interrupted = 130;

/// Errors: `std::invalid_argument` that names the option.
void validate(const RunOptions& options);

/// Does it and returns the exit code. Errors are told on standard error.
int run(const RunOptions& options);

}  // namespace fairlane::run
