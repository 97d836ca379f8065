// One worker of lines mode: a process that lives on, and the events that are with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/exec_mode.h"
#include "run/lines_protocol.h"
#include "run/process.h"
#include "run/scout.h"

namespace fairlane::run {

/// One thread that sits in poll: on the process's pipes and its end, on the scout that waits for
/// events, on the clock, on a stop.
///
/// A process that dies, answers nonsense or closes a pipe is ended, its events are failed attempts.
/// One that takes longer than the timeout is ended too; the events that it did not take too long
/// for are handed back. Events are settled only after the process's end, so that nobody else has
/// an event while its old handler runs.
class LinesWorker {
 public:
  LinesWorker(const Shop& shop, std::string worker);

  /// Returns when the run ends and nothing is with the process any more.
  void run();

 private:
  // Claiming and sending.
  void fill();
  void accept(std::vector<Lease<Bytes>> leases);
  bool start();
  void feed();
  void check_pipes();

  // Watching.
  void watch();
  int next_timeout() const;
  void check_clock(SteadyTime now);
  void collect_answers();
  void take_answers();
  void take_answer(std::string_view line);
  void collect_errors();
  void print_errors(bool all);
  void end(std::string reason, Duration grace);

  // Settling.
  void process_ended();
  void settle_rest(const std::string& reason, bool broken);
  void settle();

  bool is_late(const Attempt& attempt, SteadyTime now) const;

  const Shop& shop_;
  Claims claims_;
  Scout scout_;

  std::optional<Process> process_;
  std::map<std::uint64_t, Attempt> with_process_;  // By seq.
  std::string to_send_;
  std::size_t sent_ = 0;
  std::string answers_;
  std::string errors_;
  std::vector<Attempt> settled_;  // Decided in this round.

  bool answered_ = false;   // Since the process was started.
  int deaths_ = 0;          // In a row without an answer.
  bool timed_out_ = false;  // Why it is being ended: not its own fault as a whole.
  bool stopping_ = false;   // It is being ended because the run ends.
  std::string why_;         // It is being ended.
  std::optional<SteadyTime> stop_at_;
  bool killed_ = false;
};

}  // namespace fairlane::run
