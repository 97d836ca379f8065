#include "lease.h"

#include <structmember.h>

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>

#include "convert.h"

namespace fairlane::python {

namespace {

struct LeaseObject {
  PyObject_HEAD PyObject* event;
  PyObject* group_id;
  PyObject* worker_id;
  unsigned long long seq;
  unsigned int attempt;
  double expires_at;
  alignas(Claim) unsigned char claim[sizeof(Claim)];

  Claim& native() noexcept { return *std::launder(reinterpret_cast<Claim*>(claim)); }
};

PyTypeObject* lease_type = nullptr;  // Lives as long as the process.

LeaseObject* cast(PyObject* self) noexcept { return reinterpret_cast<LeaseObject*>(self); }

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->event);
  Py_VISIT(cast(self)->group_id);
  Py_VISIT(cast(self)->worker_id);
  return 0;
}

// Only a part of a cycle that nobody can reach is cleared.
int clear(PyObject* self) {
  Py_CLEAR(cast(self)->event);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  LeaseObject* const lease = cast(self);
  Py_XDECREF(lease->event);
  Py_DECREF(lease->group_id);
  Py_DECREF(lease->worker_id);
  lease->native().~Lease();
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* token(PyObject* self, void*) {
  const LeaseKey& key = cast(self)->native().key();
  std::array<char, 34> text;  // Two numbers of 16 digits, a hyphen, a NUL.
  std::snprintf(text.data(), text.size(), "%" PRIx64 "-%" PRIx64, key.store, key.fence);
  return PyUnicode_FromString(text.data());
}

PyObject* repr(PyObject* self) {
  const LeaseObject* const lease = cast(self);
  PyObject* const expires_at = PyFloat_FromDouble(lease->expires_at);
  if (expires_at == nullptr) return nullptr;
  PyObject* const text = PyUnicode_FromFormat(
      "<fairlane.Lease seq=%llu group_id=%R event=%R attempt=%u expires_at=%R worker_id=%R>",
      lease->seq, lease->group_id, lease->event == nullptr ? Py_None : lease->event, lease->attempt,
      expires_at, lease->worker_id);
  Py_DECREF(expires_at);
  return text;
}

PyObject* compare(PyObject* left, PyObject* right, int how) {
  if ((how != Py_EQ && how != Py_NE) || Py_TYPE(right) != lease_type) Py_RETURN_NOTIMPLEMENTED;
  const LeaseKey& a = cast(left)->native().key();
  const LeaseKey& b = cast(right)->native().key();
  const bool equal = a.store == b.store && a.fence == b.fence;
  return PyBool_FromLong(static_cast<long>(equal == (how == Py_EQ)));
}

Py_hash_t hash(PyObject* self) {
  const LeaseKey& key = cast(self)->native().key();
  const auto mixed = static_cast<Py_hash_t>(key.fence ^ (key.store << 48U));
  return mixed == -1 ? -2 : mixed;
}

PyObject* refuse_pickle(PyObject* self, PyObject*) {
  return PyErr_Format(
      PyExc_TypeError,
      "a lease cannot be pickled: it means something only to the transport, in this "
      "process, that gave it: %R",
      self);
}

PyObject* copy(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyMethodDef methods[] = {
    {"__reduce_ex__", refuse_pickle, METH_O, nullptr},
    {"__reduce__", refuse_pickle, METH_NOARGS, nullptr},
    {"__copy__", copy, METH_NOARGS, nullptr},
    {"__deepcopy__", copy, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"seq", T_ULONGLONG, offsetof(LeaseObject, seq), READONLY,
     "The message's number: FIFO order within its group."},
    {"group_id", T_OBJECT_EX, offsetof(LeaseObject, group_id), READONLY,
     "The group, as it was given when the message was published."},
    {"event", T_OBJECT_EX, offsetof(LeaseObject, event), READONLY,
     "The very object that was published."},
    {"attempt", T_UINT, offsetof(LeaseObject, attempt), READONLY,
     "How often the message was claimed, this claim included: 1 for the first delivery."},
    {"expires_at", T_DOUBLE, offsetof(LeaseObject, expires_at), READONLY,
     "The last instant of the lease, in seconds of the transport's clock, as set by the claim;\n"
     "extend() does not change the copy in hand."},
    {"worker_id", T_OBJECT_EX, offsetof(LeaseObject, worker_id), READONLY, "Who claimed it."},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef getters[] = {
    {"token", token, nullptr,
     "A text that is unique to this claim; leases are equal if their tokens are.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

constexpr const char* documentation =
    "The right to handle one message until expires_at, and to settle it once.\n\n"
    "A value: it is given by claim and its kin, and settled by ack, nack, release or reject of "
    "the\n"
    "same transport. It keeps its event alive by itself. Dropping it settles nothing: a forgotten\n"
    "lease runs out, and the message is delivered again.";

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(documentation)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, getters},
    {0, nullptr},
};

PyType_Spec spec = {"fairlane.Lease", sizeof(LeaseObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                        Py_TPFLAGS_IMMUTABLETYPE,
                    slots};

}  // namespace

void add_lease_type(py::module_& module) {
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  lease_type = reinterpret_cast<PyTypeObject*>(type);
  module.add_object("Lease", py::reinterpret_borrow<py::object>(type));
}

py::object make_lease(const Lease<Item>& lease, py::handle worker_id) {
  LeaseObject* const object = PyObject_GC_New(LeaseObject, lease_type);
  if (object == nullptr) throw py::error_already_set();
  const Item& item = lease.event();
  object->event = Py_NewRef(item.event());
  object->group_id = Py_NewRef(item.group_id());
  object->worker_id = Py_NewRef(worker_id.ptr());
  object->seq = lease.seq();
  object->attempt = lease.attempt();
  object->expires_at = seconds_of(lease.expires_at());
  new (&object->claim) Claim(lease.key(), lease.expires_at(), lease.shared_group_id(), {});
  PyObject_GC_Track(object);
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
}

const Claim& claim_of(py::handle lease) {
  if (Py_TYPE(lease.ptr()) != lease_type) {
    throw py::type_error("lease must be a fairlane.Lease, not " +
                         std::string(Py_TYPE(lease.ptr())->tp_name) + ": " +
                         py::repr(lease).cast<std::string>());
  }
  return cast(lease.ptr())->native();
}

}  // namespace fairlane::python
