// Settles what handlers decided, and writes down what became of it.
#pragma once

#include <cstdint>
#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/transport.h"
#include "run/options.h"
#include "run/output.h"
#include "run/run_state.h"

namespace fairlane::run {

/// What an attempt came to.
enum class Result {
  done,      ///< handled
  retry,     ///< the command asks for a later attempt
  failed,    ///< the attempt failed; another follows after the back-off
  dead,      ///< given up
  released,  ///< handed back; the attempt does not count
  stale,     ///< settled too late: the lease was no longer ours
};
std::string_view to_string(Result result) noexcept;

/// A lease with what shall become of it.
struct Attempt {
  Lease<Bytes> lease;
  SteadyTime began = {};
  Result result = Result::released;
  Duration delay = {};      ///< of a retry
  std::string reason = {};  ///< of what is not done
};

/// Threads: all members from any thread.
/// Errors: a file that cannot be written ends the run (exit code 2); the event it was about is
/// settled nevertheless, but a dead letter that is not written stays in the transport.
class Settler {
 public:
  Settler(const RunOptions& options, Transport<Bytes>& transport, RunState& state);

  /// Settles all of them, those that are done at one instant. `worker` is the claimer's name.
  void settle(std::span<Attempt> attempts, std::string_view worker);

  /// Counts what an earlier run left in a durable queue, which is handled too.
  void take_over();

  /// Counts anew what is in a durable queue, which others may work on too; how many messages.
  std::size_t recount();

  /// The first dead letters, for the summary; only where no file takes them.
  std::vector<std::string> shown_dead_letters() const;

  /// Ends the run if suspended groups are all that is left and nothing else can come.
  void check_suspended();

 private:
  std::vector<Settled> settle_all(std::span<Attempt> attempts);
  Settled settle_one(Attempt& attempt);
  Settled fail(Attempt& attempt, Duration delay);
  void count(const Attempt& attempt);
  void record(std::span<const Attempt> attempts, std::string_view worker);
  void collect_dead_letters();
  void count_kept_dead_letters();
  void keep(const DeadLetter<Bytes>& letter);

  const RunOptions& options_;
  Transport<Bytes>& transport_;
  RunState& state_;

  std::mutex results_mutex_;
  std::ofstream results_;
  mutable std::mutex dead_mutex_;
  std::ofstream dead_;
  std::vector<std::string> shown_;
  std::uint64_t died_ = 0;  // In a queue that keeps its dead letters.
};

}  // namespace fairlane::run
