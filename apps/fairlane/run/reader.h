// Reads lines and publishes them.
#pragma once

#include <fstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "fairlane/transport.h"
#include "run/input.h"
#include "run/options.h"
#include "run/output.h"
#include "run/run_state.h"
#include "run/settler.h"

namespace fairlane::run {

/// Threads: one at a time.
class Reader {
 public:
  Reader(const RunOptions& options, Transport<Bytes>& transport, RunState& state, Output& output,
         Settler& settler);

  /// Reads to the end of the input, to the first bad line, or until the run ends.
  void run();

  /// Whether a bad line or unreadable input ended the reading.
  bool failed() const noexcept { return failed_; }
  /// Where reading stopped.
  std::string position() const { return input_.position(); }
  /// Lines that were read and could not be published any more, in order.
  const std::vector<std::string>& unpublished() const noexcept { return unpublished_; }

 private:
  struct Pending {
    EventKey key;
    std::string text;
  };
  void read_all();
  void take(Line& line);
  void bad(const Line& line, const std::string& reason);
  void publish();

  const RunOptions& options_;
  Transport<Bytes>& transport_;
  RunState& state_;
  Output& output_;
  Settler& settler_;
  JsonKey group_key_;
  JsonKey priority_key_;
  KeyReader keys_;
  Input input_;
  std::ofstream skipped_;
  std::vector<Pending> pending_;
  std::unordered_set<std::uint64_t> groups_;  // hashes of the group ids seen
  std::vector<std::string> unpublished_;
  bool failed_ = false;
};

}  // namespace fairlane::run
