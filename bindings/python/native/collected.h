// Lets the interpreter's garbage collector look into a class of ours.
#pragma once

#include <pybind11/pybind11.h>

namespace fairlane::python {

namespace py = pybind11;

/// For the class of a `T` with `int traverse(visitproc, void*)` and `void clear()`, both called
/// under the interpreter lock: `py::class_<T>(module, "Name", collected<T>())`.
template <class T>
py::custom_type_setup collected() {
  struct Slots {
    /// Null while the object is being made.
    static T* native(PyObject* self) {
      auto held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
      return held.holder_constructed() ? held.template value_ptr<T>() : nullptr;
    }
    static int traverse(PyObject* self, visitproc visit, void* arg) {
      Py_VISIT(Py_TYPE(self));
      T* const object = native(self);
      return object != nullptr ? object->traverse(visit, arg) : 0;
    }
    static int clear(PyObject* self) {
      if (T* const object = native(self); object != nullptr) object->clear();
      return 0;
    }
    static void dealloc(PyObject* self) {
      // The events that go with it may run any code, a collection too.
      PyObject_GC_UnTrack(self);
      py::detail::pybind11_object_dealloc(self);
    }
  };
  return py::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_traverse = Slots::traverse;
    type.tp_clear = Slots::clear;
    type.tp_dealloc = Slots::dealloc;
  });
}

}  // namespace fairlane::python
