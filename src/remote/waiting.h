// Those of this process who wait for a queue on a server: who is woken when, and who looks.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "common/wait_line.h"
#include "fairlane/clock.h"
#include "remote/backend.h"

namespace fairlane::remote {

using common::Waiter;
using common::WaitLine;

/// One line for all. The first is the watcher: it sleeps until the next lease or park ends, and
/// every `look_interval` it looks; the rest sleep until they are called.
///
/// Threads: any. No lock is held while the backend works, or while anybody sleeps.
/// Errors:  `wait` raises what the attempt or a look raises.
class Waiting final : public Listener {
 public:
  explicit Waiting(Backend& backend) : backend_(backend) {}

  /// Tries until there is a result, the time is over, `stop` was requested or it was closed.
  template <class Result, class Try>
  std::optional<Result> wait(Waiter& waiter, Duration timeout, const std::stop_token& stop,
                             Try attempt) {
    if (auto result = attempt()) return result;
    const Instant deadline = saturating_add(backend_.clock()->now(), timeout);
    if (timeout == Duration() || stop.stop_requested()) return std::nullopt;
    const InLine in_line(*this, waiter);
    const std::stop_callback on_stop(stop, [&] { waiter.wakeup.raise(); });
    for (;;) {
      if (auto result = attempt()) return result;
      if (!sleep(waiter, deadline, stop)) return std::nullopt;
    }
  }

  /// Whether more than one stands in line: then the others can use what one claim leaves.
  bool is_crowded() const;

  /// Calls those of this process who can use what a call changed.
  void tell(const Effect& effect);

  /// Everyone tries once more, and finds it closed.
  void close() { on_gap(); }

  void on_claimable(std::int32_t priority) override;
  void on_room() override;
  void on_short_time() override;
  void on_gap() override;

 private:
  /// A waiter's place in the line; what others do is told to it from here on.
  class InLine {
   public:
    InLine(Waiting& waiting, Waiter& waiter);
    InLine(const InLine&) = delete;
    InLine& operator=(const InLine&) = delete;
    ~InLine();

   private:
    void leave();

    Waiting& waiting_;
    Waiter& waiter_;
    WaitLine::Place place_;
  };

  /// Sleeps until it is worth a try; false: the time is over.
  bool sleep(Waiter& waiter, Instant deadline, const std::stop_token& stop);
  void look(Instant now);
  Wishes wishes() const;

  Backend& backend_;
  mutable std::mutex mutex_;
  WaitLine line_;
  Wishes told_;                       // What the backend was told at the last look.
  Instant look_at_ = Instant::min();  // The next look is due.
  Instant alarm_ = Instant::max();    // The first lease or park is over.
};

}  // namespace fairlane::remote
