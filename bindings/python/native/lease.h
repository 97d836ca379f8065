// fairlane.Lease: made a million times a second, so a plain type of the interpreter's own.
#pragma once

#include <pybind11/pybind11.h>

#include "fairlane/lease.h"
#include "item.h"

namespace fairlane::python {

namespace py = pybind11;

/// The claim without its event: who keeps the event alive here is the Python object, where the
/// garbage collector sees it.
using Claim = Lease<Item>;

/// Makes the type and adds it to the module as `Lease`.
void add_lease_type(py::module_& module);

/// Under the interpreter lock. The event and the group's name are those of the item.
py::object make_lease(const Lease<Item>& lease, py::handle worker_id);

/// Valid as long as the object. Errors: TypeError if it is none.
const Claim& claim_of(py::handle lease);

}  // namespace fairlane::python
