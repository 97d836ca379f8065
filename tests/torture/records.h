// What the processes of a run write down while they are killed, and the locks of the groups.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fairlane::torture {

/// A run's folder, shared by its processes:
///   attempted-NAME   a line "GROUP EVENT" for each event before it is published
///   published-NAME   likewise, after its publish returned
///   maybe-NAME       likewise, where the outcome of the publish is unknown
///   deliveries       "begin GROUP SEQ EVENT" as handling begins, "acking ..." before an ack is
///   sent,
///                    "acked ..." after it was answered "done"
///   late             a line for each lease that ran out in the hands of a living worker
///   complaints       a line for each thing that must not be
///   lock-GROUP       see Turn
struct Run {
  std::string url;
  std::string folder;
  int groups = 32;
  /// Of a claim. Whoever is slower than that, for a server is down, is late and does not complain.
  double visibility_seconds = 3;
};

/// By this clock all processes of the machine judge how long a lease surely runs.
using Moment = std::chrono::steady_clock::time_point;
inline Moment moment() { return std::chrono::steady_clock::now(); }

/// Lines appended whole, by many processes.
class Log {
 public:
  explicit Log(const std::string& path);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  void line(const std::string& text) const;

 private:
  int file_;
};

/// A group's file. Its lock is held by who handles a message of the group: a killed process lets
/// go. In it stands until when the lease of the last who handled one surely runs, if he did not
/// settle. So a lease that is given too early is seen, whether the former holder lives or is dead.
class Turn {
 public:
  Turn(const Run& run, const std::string& group);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  /// Waits for who is late; he has nothing left to do but to write a line.
  void lock() const;

  /// May be read without the lock: it is past before its writer settles.
  Moment taken_until() const;
  void take_until(Moment moment) const;
  void give_back() const { take_until({}); }

 private:
  int file_;
};

}  // namespace fairlane::torture
