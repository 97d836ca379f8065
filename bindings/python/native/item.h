// What a queue holds for Python: the event and the group's name, both as they were given.
#pragma once

#include <Python.h>

#include <utility>

namespace fairlane::python {

/// Makes sure that this thread holds the interpreter lock, at no cost if it does.
class EnsureGil {
 public:
  EnsureGil() : held_(PyGILState_Check() != 0) {
    if (!held_) state_ = PyGILState_Ensure();
  }
  EnsureGil(const EnsureGil&) = delete;
  EnsureGil& operator=(const EnsureGil&) = delete;
  ~EnsureGil() {
    if (!held_) PyGILState_Release(state_);
  }

 private:
  const bool held_;
  PyGILState_STATE state_ = {};
};

/// Two strong references. Threads: moved with or without the interpreter lock; destroyed on any
/// thread, which takes the lock if need be.
class Item {
 public:
  /// Under the interpreter lock.
  Item(PyObject* event, PyObject* group_id) noexcept
      : event_(Py_NewRef(event)), group_id_(Py_NewRef(group_id)) {}
  Item(Item&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)),
        group_id_(std::exchange(other.group_id_, nullptr)) {}
  Item& operator=(Item&&) = delete;
  ~Item() {
    if (event_ == nullptr) return;
    const EnsureGil gil;
    Py_DECREF(group_id_);
    Py_DECREF(event_);
  }

  PyObject* event() const noexcept { return event_; }
  PyObject* group_id() const noexcept { return group_id_; }

 private:
  PyObject* event_;
  PyObject* group_id_;
};

}  // namespace fairlane::python
