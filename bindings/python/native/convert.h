// Arguments: from Python's types to the library's, refused with the value in the text.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/clock.h"

namespace fairlane::python {

namespace py = pybind11;

/// Once, when the module is made. Throws `py::error_already_set`.
void prepare_conversions();

// All under the interpreter lock. Errors: TypeError, ValueError.

/// The bytes of a `str` (as UTF-8) or `bytes`; valid as long as the object.
std::string_view group_id_of(py::handle value);
std::string_view text_of(py::handle value, const char* name);

/// From seconds (a number) or a `datetime.timedelta`: to the nearest nanosecond, since what a
/// float says in decimals it rarely hits. Not negative, not infinite; huge ones saturate.
Duration duration_of(py::handle value, const char* name);
/// None is for ever.
Duration timeout_of(py::handle value);

std::int32_t priority_of(py::handle value, const char* name);
std::uint64_t count_of(py::handle value, const char* name);

/// What a clock returned.
Instant instant_of(py::handle seconds);
double seconds_of(Instant instant) noexcept;
double seconds_of(Duration duration) noexcept;

}  // namespace fairlane::python
