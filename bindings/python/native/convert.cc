#include "convert.h"

#include <datetime.h>

#include <cmath>
#include <limits>
#include <string>

namespace fairlane::python {

namespace {

constexpr std::int64_t per_second = 1'000'000'000;

std::string text(py::handle value) { return py::repr(value).cast<std::string>(); }

[[noreturn]] void throw_type(const char* name, const char* wanted, py::handle value) {
  throw py::type_error(std::string(name) + " must be " + wanted + ", not " +
                       Py_TYPE(value.ptr())->tp_name + ": " + text(value));
}

[[noreturn]] void throw_value(const char* name, const char* fault, py::handle value) {
  throw py::value_error(std::string(name) + " " + fault + ": " + text(value));
}

/// Rounded to the nearest; saturates.
std::int64_t nanoseconds_of_float(double seconds) noexcept {
  const long double nanoseconds = std::nearbyint(static_cast<long double>(seconds) * per_second);
  if (nanoseconds >= 0x1p63L) return std::numeric_limits<std::int64_t>::max();
  if (nanoseconds <= -0x1p63L) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(nanoseconds);
}

std::int64_t nanoseconds_of_int(PyObject* seconds) {
  int overflow = 0;
  const long long count = PyLong_AsLongLongAndOverflow(seconds, &overflow);
  if (count == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  const auto whole = static_cast<std::int64_t>(count);
  std::int64_t nanoseconds = 0;
  if (overflow > 0 ||
      (overflow == 0 && whole > 0 && __builtin_mul_overflow(whole, per_second, &nanoseconds))) {
    return std::numeric_limits<std::int64_t>::max();
  }
  if (overflow < 0 || __builtin_mul_overflow(whole, per_second, &nanoseconds)) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return nanoseconds;
}

std::int64_t nanoseconds_of_timedelta(PyObject* delta) noexcept {
  // At most 999,999,999 days, which is more than 63 bits of nanoseconds.
  const std::int64_t seconds =
      std::int64_t{PyDateTime_DELTA_GET_DAYS(delta)} * 86'400 + PyDateTime_DELTA_GET_SECONDS(delta);
  std::int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(seconds, per_second, &nanoseconds)) {
    return seconds > 0 ? std::numeric_limits<std::int64_t>::max()
                       : std::numeric_limits<std::int64_t>::min();
  }
  return saturating_add(Instant(std::chrono::nanoseconds(nanoseconds)),
                        std::chrono::microseconds(PyDateTime_DELTA_GET_MICROSECONDS(delta)))
      .time_since_epoch()
      .count();
}

std::int64_t nanoseconds_of_number(py::handle value, const char* name, const char* wanted) {
  PyObject* const object = value.ptr();
  if (PyLong_Check(object)) return nanoseconds_of_int(object);
  // A subclass of float, or whatever calls itself a real number, such as numpy's.
  const double seconds = PyFloat_AsDouble(object);
  if (seconds == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_type(name, wanted, value);
  }
  if (!std::isfinite(seconds)) throw_value(name, "is not finite", value);
  return nanoseconds_of_float(seconds);
}

}  // namespace

void prepare_conversions() {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
}

std::string_view group_id_of(py::handle value) {
  if (PyBytes_Check(value.ptr())) {
    return {PyBytes_AS_STRING(value.ptr()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(value.ptr()))};
  }
  if (!PyUnicode_Check(value.ptr())) throw_type("group_id", "str or bytes", value);
  return text_of(value, "group_id");
}

std::string_view text_of(py::handle value, const char* name) {
  if (!PyUnicode_Check(value.ptr())) throw_type(name, "str", value);
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) throw py::error_already_set();
  return {text, static_cast<std::size_t>(size)};
}

Duration duration_of(py::handle value, const char* name) {
  const std::int64_t nanoseconds =
      PyDelta_Check(value.ptr())
          ? nanoseconds_of_timedelta(value.ptr())
          : nanoseconds_of_number(value, name, "seconds or a datetime.timedelta");
  if (nanoseconds < 0) throw_value(name, "is negative", value);
  return std::chrono::nanoseconds(nanoseconds);
}

Duration timeout_of(py::handle value) {
  return value.is_none() ? Duration::max() : duration_of(value, "timeout");
}

std::int32_t priority_of(py::handle value, const char* name) {
  if (PyLong_Check(value.ptr()) == 0) throw_type(name, "int", value);
  int overflow = 0;
  const long long priority = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  using Limits = std::numeric_limits<std::int32_t>;
  if (overflow != 0 || priority < Limits::min() || priority > Limits::max()) {
    throw_value(name, "is no 32-bit integer", value);
  }
  return static_cast<std::int32_t>(priority);
}

std::uint64_t count_of(py::handle value, const char* name) {
  if (PyLong_Check(value.ptr()) == 0) throw_type(name, "int", value);
  const auto count = PyLong_AsUnsignedLongLong(value.ptr());
  if (count == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_value(name, "is negative or too large", value);
  }
  return count;
}

Instant instant_of(py::handle seconds) {
  return Instant(std::chrono::nanoseconds(
      nanoseconds_of_number(seconds, "what the clock returned", "seconds")));
}

double seconds_of(Instant instant) noexcept {
  return static_cast<double>(instant.time_since_epoch().count()) / per_second;
}

double seconds_of(Duration duration) noexcept {
  return static_cast<double>(duration.value().count()) / per_second;
}

}  // namespace fairlane::python
