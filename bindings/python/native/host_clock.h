// A transport's clock as Python sees it: the system's or a callable; its sleep lets Ctrl-C in.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <stop_token>

#include "fairlane/clock.h"

namespace fairlane::python {

namespace py = pybind11;

/// Threads: any. Takes the interpreter lock to call the callable, if the caller does not hold it;
/// no native lock is held then.
/// Errors: what the callable raises, as `py::error_already_set`.
class HostClock final : public Clock {
 public:
  /// `callable` returns seconds; None: the system's monotonic clock.
  explicit HostClock(py::object callable);
  ~HostClock() override;

  Instant now() const override;
  Instant recent() const override;
  void sleep(Wakeup& wakeup, Instant deadline) override;

  PyObject* callable() const noexcept { return callable_; }

 private:
  PyObject* callable_;  // Null: the system's.
  const std::shared_ptr<Clock> system_;
};

/// While it exists, sleeps of this thread on a HostClock run signal handlers, if this is the main
/// thread: the only one where Python runs them. What a handler raises ends the wait by `token`.
class SignalCheck {
 public:
  /// Under the interpreter lock. `stop`: the wait's other reason to end.
  explicit SignalCheck(const std::stop_token& stop);
  SignalCheck(const SignalCheck&) = delete;
  SignalCheck& operator=(const SignalCheck&) = delete;
  ~SignalCheck();

  std::stop_token token() const noexcept { return source_.get_token(); }
  /// Whether a handler raised.
  bool raised() const noexcept { return raised_.has_value(); }
  /// Throws what it raised.
  void rethrow();

  /// The innermost of this thread, if it is the main one.
  static SignalCheck* current() noexcept;
  void run();

 private:
  struct Forward {
    std::stop_source* source;
    void operator()() const noexcept { source->request_stop(); }
  };

  std::stop_source source_;
  std::stop_callback<Forward> forward_;
  std::optional<py::error_already_set> raised_;
  SignalCheck* const outer_;
};

}  // namespace fairlane::python
