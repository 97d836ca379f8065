#include "host_clock.h"

#include <algorithm>
#include <chrono>

#include "convert.h"
#include "item.h"

namespace fairlane::python {

namespace {

// How long a signal may go unnoticed: well below what a person who pressed Ctrl-C calls prompt.
constexpr auto signals_every = std::chrono::milliseconds(50);

thread_local SignalCheck* current_check = nullptr;

bool in_main_thread() {
  const auto main_thread = py::module_::import("threading").attr("main_thread")();
  return main_thread.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
}

}  // namespace

HostClock::HostClock(py::object callable) : callable_(nullptr), system_(monotonic_clock()) {
  if (callable.is_none()) return;
  if (PyCallable_Check(callable.ptr()) == 0) {
    throw py::type_error("clock must be callable, not " + py::repr(callable).cast<std::string>());
  }
  callable_ = callable.release().ptr();
}

HostClock::~HostClock() {
  if (callable_ == nullptr) return;
  const EnsureGil gil;
  Py_DECREF(callable_);
}

Instant HostClock::now() const {
  if (callable_ == nullptr) return system_->now();
  const EnsureGil gil;
  PyObject* const seconds = PyObject_CallNoArgs(callable_);
  if (seconds == nullptr) throw py::error_already_set();
  return instant_of(py::reinterpret_steal<py::object>(seconds));
}

Instant HostClock::recent() const { return callable_ == nullptr ? system_->recent() : now(); }

void HostClock::sleep(Wakeup& wakeup, Instant deadline) {
  SignalCheck* const check = SignalCheck::current();
  if (check != nullptr) deadline = std::min(deadline, saturating_add(now(), signals_every));
  if (callable_ == nullptr) {
    system_->sleep(wakeup, deadline);
  } else {
    Clock::sleep(wakeup, deadline);
  }
  if (check != nullptr) check->run();
}

SignalCheck::SignalCheck(const std::stop_token& stop)
    : forward_(stop, Forward{&source_}), outer_(current_check) {
  if (in_main_thread()) current_check = this;
}

SignalCheck::~SignalCheck() { current_check = outer_; }

SignalCheck* SignalCheck::current() noexcept { return current_check; }

void SignalCheck::run() {
  if (raised_) return;
  const EnsureGil gil;
  if (PyErr_CheckSignals() == 0) return;
  raised_.emplace();
  source_.request_stop();
}

void SignalCheck::rethrow() {
  if (raised_) throw py::error_already_set(*raised_);
}

}  // namespace fairlane::python
