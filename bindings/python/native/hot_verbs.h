// The verbs a program calls a million times a second, without pybind11's dispatch, which would cost
// several times what they do.
#pragma once

#include <pybind11/pybind11.h>

namespace fairlane::python {

namespace py = pybind11;

/// Adds publish, claim, ack, nack and ack_claim to the class of a `Queue`.
void add_hot_verbs(py::handle queue_type);

}  // namespace fairlane::python
