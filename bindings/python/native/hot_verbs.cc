#include "hot_verbs.h"

#include <array>
#include <cstddef>
#include <string>

#include "errors.h"
#include "queue.h"

namespace fairlane::python {

namespace {

template <std::size_t Count>
struct Signature {
  const char* verb;
  std::array<const char*, Count> names;
  std::size_t required;
};

/// The arguments of one call by place, however they were given. Errors: TypeError.
template <std::size_t Count>
class Arguments {
 public:
  Arguments(const Signature<Count>& signature, PyObject* const* given, Py_ssize_t positional,
            PyObject* keywords)
      : signature_(signature) {
    const auto places = static_cast<std::size_t>(positional);
    if (places > Count) fail("takes at most " + std::to_string(Count) + " arguments");
    for (std::size_t i = 0; i < places; ++i) values_[i] = given[i];
    if (keywords != nullptr) take_keywords(given + positional, keywords);
    for (std::size_t i = 0; i < signature.required; ++i) {
      if (values_[i] == nullptr) fail(std::string("misses its argument ") + signature.names[i]);
    }
  }

  py::handle operator[](std::size_t place) const noexcept { return values_[place]; }
  py::handle get(std::size_t place, py::handle otherwise) const noexcept {
    return values_[place] != nullptr ? py::handle(values_[place]) : otherwise;
  }

 private:
  void take_keywords(PyObject* const* values, PyObject* keywords) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      PyObject* const keyword = PyTuple_GET_ITEM(keywords, i);
      std::size_t place = 0;
      while (place < Count &&
             PyUnicode_CompareWithASCIIString(keyword, signature_.names[place]) != 0) {
        ++place;
      }
      const auto name = py::str(py::handle(keyword)).cast<std::string>();
      if (place == Count) fail("has no argument " + name);
      if (values_[place] != nullptr) fail("got two values for its argument " + name);
      values_[place] = values[i];
    }
  }

  [[noreturn]] void fail(const std::string& fault) const {
    throw py::type_error(std::string(signature_.verb) + "() " + fault);
  }

  const Signature<Count>& signature_;
  std::array<PyObject*, Count> values_ = {};
};

Queue& queue_of(PyObject* self) {
  auto held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  if (!held.holder_constructed())
    throw py::type_error("__init__() of the transport was not called");
  return *held.value_ptr<Queue>();
}

// Made once; they live as long as the process.
PyObject* zero = nullptr;
PyObject* no_delay = nullptr;

constexpr Signature<3> publish_signature{"publish", {"group_id", "event", "priority"}, 2};
constexpr Signature<3> claim_signature{"claim", {"worker_id", "visibility", "min_priority"}, 2};
constexpr Signature<1> ack_signature{"ack", {"lease"}, 1};
constexpr Signature<2> nack_signature{"nack", {"lease", "delay"}, 1};
constexpr Signature<4> ack_claim_signature{
    "ack_claim", {"lease", "worker_id", "visibility", "min_priority"}, 3};

PyObject* publish(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    const Arguments of(publish_signature, given, count, keywords);
    return PyLong_FromUnsignedLongLong(queue_of(self).publish(of[0], of[1], of.get(2, zero)));
  });
}

PyObject* claim(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    const Arguments of(claim_signature, given, count, keywords);
    return queue_of(self).claim(of[0], of[1], of.get(2, zero)).release().ptr();
  });
}

PyObject* ack(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    const Arguments of(ack_signature, given, count, keywords);
    return PyBool_FromLong(static_cast<long>(queue_of(self).ack(of[0])));
  });
}

PyObject* nack(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    const Arguments of(nack_signature, given, count, keywords);
    return PyBool_FromLong(static_cast<long>(queue_of(self).nack(of[0], of.get(1, no_delay))));
  });
}

PyObject* ack_claim(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    const Arguments of(ack_claim_signature, given, count, keywords);
    return queue_of(self).ack_claim(of[0], of[1], of[2], of.get(3, zero)).release().ptr();
  });
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

PyMethodDef method(const char* name, FastCall call, const char* documentation) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
          METH_FASTCALL | METH_KEYWORDS, documentation};
}

std::array methods = {
    method("publish", publish,
           "publish($self, group_id, event, priority=0)\n--\n\n"
           "Append an event to its group's FIFO; return the message's seq.\n\n"
           "The priority is taken only if this makes the group active.\n"
           "Raises TransportError with code \"full\" or \"too_large\"; nothing is stored then."),
    method("claim", claim,
           "claim($self, worker_id, visibility, min_priority=0)\n--\n\n"
           "Lease the head of the group whose turn it is for visibility seconds; None if there is\n"
           "none at or above min_priority. Never blocks."),
    method("ack", ack,
           "ack($self, lease)\n--\n\n"
           "The message was handled: remove it. True: done; False: the lease was stale."),
    method("nack", nack,
           "nack($self, lease, delay=0.0)\n--\n\n"
           "Put the message back: free at once, or parked for delay seconds.\n"
           "True: done; False: the lease was stale."),
    method(
        "ack_claim", ack_claim,
        "ack_claim($self, lease, worker_id, visibility, min_priority=0)\n--\n\n"
        "An ack, then a claim, at one instant, also if the ack is stale: (done, lease or None)."),
};

}  // namespace

void add_hot_verbs(py::handle queue_type) {
  zero = PyLong_FromLong(0);
  no_delay = PyFloat_FromDouble(0);
  for (auto& each : methods) {
    const auto descriptor = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(queue_type.ptr()), &each));
    if (!descriptor) throw py::error_already_set();
    py::setattr(queue_type, each.ml_name, descriptor);
  }
}

}  // namespace fairlane::python
