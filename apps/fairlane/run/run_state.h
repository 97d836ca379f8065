// What all threads of a run share: how far it is, and whether and why it shall end.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "run/histogram.h"
#include "run/process.h"

namespace fairlane::run {

/// A file descriptor that becomes readable once and stays so.
class Flag {
 public:
  Flag();
  ~Flag();
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  void raise();
  /// Takes the raise back.
  void lower();
  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Why a run ends before all is done.
enum class Ending { none, interrupted, broken, suspended };

struct Counters {
  std::atomic<std::uint64_t> read{0};    ///< events published
  std::atomic<std::uint64_t> groups{0};  ///< distinct, by a 64-bit hash
  std::atomic<std::uint64_t> bad{0};     ///< lines skipped
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> dead{0};
  std::atomic<std::uint64_t> retries{0};    ///< put back, asked for or failed
  std::atomic<std::uint64_t> stale{0};      ///< settled too late
  std::atomic<std::uint64_t> exhausted{0};  ///< times a group may have been suspended
  std::atomic<std::uint64_t> in_hand{0};    ///< claimed and not settled
};

/// Threads: all members from any thread.
class RunState {
 public:
  explicit RunState(std::size_t limit) : limit_(limit) {}

  Counters counters;

  // The end.
  /// The first to ask decides. No event is claimed and no line read any more.
  void end(Ending ending, std::string message = {});
  /// Handlers are killed without grace.
  void abort();
  bool ending() const noexcept { return stop_.stop_requested(); }
  bool aborted() const noexcept { return aborted_; }
  std::stop_token stop_token() const noexcept { return stop_.get_token(); }
  const Flag& ending_flag() const noexcept { return ending_flag_; }
  const Flag& abort_flag() const noexcept { return abort_flag_; }
  std::pair<Ending, std::string> verdict() const;

  // Messages in memory.
  /// Counts what was there before the run.
  void take_over(std::size_t messages);
  /// Waits for room and takes as much of `wanted` as there is. 0: the run ends, or there was none
  /// for `longest`.
  std::size_t take_room(std::size_t wanted,
                        std::chrono::milliseconds longest = std::chrono::hours(24));
  void give_back(std::size_t messages);
  /// Sets right what others did to a queue that is shared, while none of ours is on its way in.
  void recount(std::size_t messages);
  /// Waits until nothing is left, once `input_done` was told, or the run ends; false: not within
  /// `longest`.
  bool wait_until_drained(std::chrono::milliseconds longest = std::chrono::hours(24));
  void input_done();
  bool reading_done() const;
  /// Whether `held` messages are all there is, none on its way in or out, and no more can come: the
  /// input has ended, or they leave it no room.
  bool starved(std::size_t held) const;
  std::size_t outstanding() const;

  // The time from publish to claim.
  void published(std::uint64_t seq, SteadyTime at);
  void claimed(std::uint64_t seq, SteadyTime at);
  std::pair<double, double> wait_p50_p99_seconds() const;

 private:
  const std::size_t limit_;
  std::stop_source stop_;
  std::atomic<bool> aborted_{false};
  Flag ending_flag_;
  Flag abort_flag_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t outstanding_ = 0;
  bool waits_for_room_ = false;
  bool input_done_ = false;
  Ending ending_ = Ending::none;
  std::string message_;

  mutable std::mutex waits_mutex_;
  // Whichever of publish and claim is recorded second takes the entry out.
  std::unordered_map<std::uint64_t, SteadyTime> waiting_;
  Histogram waits_;
};

}  // namespace fairlane::run
