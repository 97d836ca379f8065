// From the library's exceptions to the interpreter's.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "fairlane/error.h"

namespace fairlane::python {

namespace py = pybind11;

/// Makes `fairlane.TransportError` the current exception.
inline void raise(const TransportError& error) {
  const auto type = py::module_::import("fairlane._errors").attr("TransportError");
  const auto raised = type(error.what(), to_string(error.code()), error.may_be_stored());
  PyErr_SetObject(type.ptr(), raised.ptr());
}

/// What `call` returns, or null with an exception set: for functions the interpreter calls itself.
template <class Call>
PyObject* guarded(Call call) noexcept {
  try {
    return call();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const TransportError& error) {
    raise(error);
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace fairlane::python
