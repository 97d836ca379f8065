// Claim, handle, settle: the loop on top of a transport. Section 11 of the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "fairlane/transport.h"

namespace fairlane {

/// What shall become of a message that was handled.
class Outcome {
 public:
  /// It is acked.
  static Outcome done() noexcept { return Outcome(Done{}); }
  /// It is put back, parked for `delay`.
  /// Errors: `std::invalid_argument` for a negative one.
  static Outcome retry(Duration delay);
  /// It is put back, parked for the back-off of its attempt, as after an exception.
  static Outcome failed(std::string why = {}) { return Outcome(Failed{std::move(why)}); }
  /// It moves to the dead letters.
  static Outcome dead(std::string reason = {}) { return Outcome(Dead{std::move(reason)}); }
  /// It is handed back at once and this claim is not counted as an attempt.
  static Outcome released() noexcept { return Outcome(Released{}); }

  struct Done {};
  struct Retry {
    Duration delay;
  };
  struct Failed {
    std::string why;
  };
  struct Dead {
    std::string reason;
  };
  struct Released {};
  using Kind = std::variant<Done, Retry, Failed, Dead, Released>;
  const Kind& kind() const noexcept { return kind_; }

 private:
  explicit Outcome(Kind kind) : kind_(std::move(kind)) {}
  Kind kind_;
};

/// How long a failed message is parked: `min * 2^(attempt - 1)`, at most `max`, of which a share of
/// up to `jitter` is taken away at random so that what failed together does not come back together.
struct Backoff {
  Duration min = std::chrono::milliseconds(100);
  Duration max = std::chrono::seconds(30);
  double jitter = 0.5;  ///< 0..1; 0: none

  /// The delay before the attempt that follows `attempt` (1: the first). Deterministic: the same
  /// for the same seed, seq and attempt, in whatever order messages fail.
  Duration delay(std::uint32_t attempt, std::uint64_t seq, std::uint64_t seed) const noexcept;
};

/// How a worker works.
struct WorkerOptions {
  /// Shown by `inspect`; the threads of `run`, where there are several, are "id-1", "id-2", ..
  std::string worker_id = "worker";
  std::size_t threads = 1;  ///< of `run`; at least 1
  /// Of each claim. `run` extends it every third of it, but at most once a millisecond, as long as
  /// the handler runs; 0 is never extended.
  Duration visibility = std::chrono::seconds(30);
  std::int32_t min_priority = 0;        ///< the worker's floor
  double high_ratio = 0;                ///< 0..1: share of claims that look at the threshold first
  std::int32_t priority_threshold = 0;  ///< the floor of those claims
  Backoff backoff = {};
  Duration grace = std::chrono::seconds(10);  ///< how long `run` lets handlers finish when stopped
  /// The most messages a thread of `run` claims at once while handlers are fast; 1: off. Within
  /// about a millisecond of real time a slow handler's thread hands back what it has not begun.
  std::size_t batch = 16;
  std::uint64_t seed = 0;  ///< of the jitter
};

/// Told what becomes of each message, for logs and metrics. All members do nothing by default.
/// Threads: called from the worker's threads, several at once, also for a message that another of
///          them handles; no lock is held.
/// Errors: an exception thrown here is swallowed.
template <class Event>
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  /// A lease was given; its handler, or its release, comes next.
  virtual void claimed(const Lease<Event>&) {}
  virtual void done(const Lease<Event>&) {}
  /// Put back, parked for `delay`; `why` is the exception's text, if it was one. On its last
  /// attempt the queue's rules make it a dead letter, or suspend its group, instead.
  virtual void retried(const Lease<Event>&, Duration /*delay*/, std::string_view /*why*/) {}
  /// Rejected, by the handler's own word.
  virtual void dead(const Lease<Event>&, std::string_view /*reason*/) {}
  /// Handed back unhandled.
  virtual void released(const Lease<Event>&) {}
  /// The settle came too late: somebody else may have the message.
  virtual void stale(const Lease<Event>&) {}
  /// A heartbeat found the lease lost while the handler ran.
  virtual void lost(const Lease<Event>&) {}
  /// The transport failed; the worker goes on after the back-off.
  virtual void failed(std::exception_ptr) {}
};

namespace detail {
template <class Event>
class WorkerLoop;
}

/// Claims messages of a transport and hands them to a handler.
///
/// The handler is called as `handler(lease, stop)` or `handler(lease)` and returns an `Outcome`, or
/// nothing, which is done. An exception is `Outcome::failed`. `stop` is requested when the lease is
/// lost, or when the grace after a stop is over; it is that of this call, so no copy of it means
/// anything once the handler has returned.
///
/// Threads:   `step` from one thread at a time and not during `run`. The handler is called from
///            `threads` threads at once. No lock is held while the handler, the observer, the clock
///            or the transport is called.
/// Errors:    `std::invalid_argument` for options out of range. A failing transport never ends
///            `run`; it is told to the observer and tried again after the back-off. A settle whose
///            outcome is unknown is not repeated: the message is settled, or its lease runs out.
///            `step` raises the failure.
/// Time:      that of the transport's clock.
/// Lifetime:  borrows the transport and the observer until it is destroyed.
template <class Event>
class Worker {
 public:
  using Handler = std::function<Outcome(const Lease<Event>&, const std::stop_token&)>;

  template <class Callable>
  Worker(Transport<Event>& transport, Callable handler, WorkerOptions options = {},
         WorkerObserver<Event>* observer = nullptr);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// One claim, handle and settle on this thread; false if there was nothing to claim. There is no
  /// second thread and so no heartbeat: a lease that runs out meanwhile is settled if it is
  /// current.
  bool step();

  /// Works until `stop`, then lets handlers finish within the grace and hands back the rest.
  /// Returns once all handlers have returned; what one did after its message was handed back is
  /// stale.
  void run(std::stop_token stop);

 private:
  template <class Callable>
  static Handler adapt(Callable callable);
  std::unique_ptr<detail::WorkerLoop<Event>> loop_;
};

}  // namespace fairlane

#include "fairlane/detail/worker_loop.h"  // IWYU pragma: keep
