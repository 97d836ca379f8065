// fairlane._core: what the package is built on.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "collected.h"
#include "convert.h"
#include "errors.h"
#include "fairlane/error.h"
#include "fairlane/worker.h"
#include "hot_verbs.h"
#include "lease.h"
#include "queue.h"

namespace fairlane::python {

namespace {

QueueOptions options_of(const std::string& rotation, const std::string& when_exhausted,
                        py::handle max_attempts, py::handle max_messages,
                        py::handle max_group_messages, py::handle max_event_bytes) {
  QueueOptions options;
  options.rotation = parse_rotation(rotation);
  if (!options.rotation) throw py::value_error("no such rotation: " + rotation);
  options.when_exhausted = parse_when_exhausted(when_exhausted);
  if (!options.when_exhausted) throw py::value_error("no such when_exhausted: " + when_exhausted);
  const auto attempts = count_of(max_attempts, "max_attempts");
  if (attempts > std::numeric_limits<std::uint32_t>::max()) {
    throw py::value_error("max_attempts is too large: " + std::to_string(attempts));
  }
  options.max_attempts = static_cast<std::uint32_t>(attempts);
  options.max_messages = count_of(max_messages, "max_messages");
  options.max_group_messages = count_of(max_group_messages, "max_group_messages");
  options.max_event_bytes = count_of(max_event_bytes, "max_event_bytes");
  return options;
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const TransportError& error) {
    raise(error);
  }
}

double backoff_delay(py::handle min, py::handle max, double jitter, std::uint32_t attempt,
                     std::uint64_t seq, std::uint64_t seed) {
  const Backoff backoff{duration_of(min, "min"), duration_of(max, "max"), jitter};
  return seconds_of(backoff.delay(attempt, seq, seed));
}

using py::arg;

void add_verbs(py::class_<Queue>& queue) {
  queue
      .def("publish_batch", &Queue::publish_batch, arg("messages"),
           "publish_batch(self, messages)\n--\n\n"
           "Publish (group_id, event) or (group_id, event, priority) tuples, in order, all or\n"
           "none; return their seqs.")
      .def(
          "publish_wait", &Queue::publish_wait, arg("group_id"), arg("event"), arg("priority") = 0,
          arg("timeout") = py::none(), arg("stop") = py::none(),
          "publish_wait(self, group_id, event, priority=0, timeout=None, stop=None)\n--\n\n"
          "Like publish, but wait for room: up to timeout seconds (None: for ever) or until stop.\n"
          "Return the seq, or None if there was no room.\n"
          "Raises TransportError with code \"closed\" if there is no room and the transport is "
          "closed.")
      .def("claim_batch", &Queue::claim_batch, arg("n"), arg("worker_id"), arg("visibility"),
           arg("min_priority") = 0,
           "claim_batch(self, n, worker_id, visibility, min_priority=0)\n--\n\n"
           "Lease up to n heads of different groups, as n claims at one instant would.")
      .def("claim_wait", &Queue::claim_wait, arg("worker_id"), arg("visibility"),
           arg("min_priority") = 0, arg("timeout") = py::none(), arg("stop") = py::none(),
           "claim_wait(self, worker_id, visibility, min_priority=0, timeout=None, "
           "stop=None)\n--\n\n"
           "Like claim, but wait up to timeout seconds (None: for ever) or until stop.\n\n"
           "Other threads run meanwhile. Ctrl-C ends it, and loses no message.")
      .def("start_claim", &Queue::start_claim, arg("worker_id"), arg("visibility"),
           arg("min_priority"), arg("timeout"), arg("notify"),
           "start_claim(self, worker_id, visibility, min_priority, timeout, notify)\n--\n\n"
           "A claim_wait without a thread, for event loops: notify() is called, on any thread,\n"
           "when it is time to look().")
      .def("ack_batch", &Queue::ack_batch, arg("leases"),
           "ack_batch(self, leases)\n--\n\n"
           "Ack each; return a list of what ack would have.")
      .def("extend", &Queue::extend, arg("lease"), arg("visibility"),
           "extend(self, lease, visibility)\n--\n\n"
           "The heartbeat: the lease now runs for visibility seconds from now.\n"
           "True: done; False: it was stale.")
      .def("release", &Queue::release, arg("lease"),
           "release(self, lease)\n--\n\n"
           "Hand the message back unhandled: free at once, and this claim is no attempt.\n"
           "True: done; False: the lease was stale.")
      .def("reject", &Queue::reject, arg("lease"), arg("reason") = "",
           "reject(self, lease, reason='')\n--\n\n"
           "Move the message to the dead letters. True: done; False: the lease was stale.")
      .def("close", &Queue::close,
           "close(self)\n--\n\n"
           "Wake everyone who waits; nobody waits any more. Twice is fine.")
      .def("now", &Queue::now,
           "now(self)\n--\n\n"
           "The transport's clock, in seconds.");
}

void add_control(py::class_<Queue>& queue) {
  queue
      .def("suspend", &Queue::suspend, arg("group_id"),
           "suspend(self, group_id)\n--\n\n"
           "Make the group not claimable until resume, also one that holds nothing yet.")
      .def("resume", &Queue::resume, arg("group_id"),
           "resume(self, group_id)\n--\n\n"
           "End a suspension; what was there goes on.")
      .def("terminate", &Queue::terminate, arg("group_id"),
           "terminate(self, group_id)\n--\n\n"
           "Drop every message of the group, the one in flight too; return how many.")
      .def("redrive", &Queue::redrive, arg("seq"),
           "redrive(self, seq)\n--\n\n"
           "Publish a dead letter again at the tail of its group; return its new seq.\n"
           "Raises TransportError with code \"not_found\" or \"full\".")
      .def("drop_dead", &Queue::drop_dead, arg("seq"),
           "drop_dead(self, seq)\n--\n\n"
           "Forget a dead letter. Raises TransportError with code \"not_found\".")
      .def(
          "groups", &Queue::groups, arg("suspended") = false, arg("limit") = 100,
          arg("after") = py::none(),
          "groups(self, suspended=False, limit=100, after=None)\n--\n\n"
          "A page of the active groups' ids, or of the suspended ones', in byte order, beginning\n"
          "after the given one: str where the bytes are UTF-8, else bytes; either names the group.")
      .def("_inspect", &Queue::inspect, arg("group_id"))
      .def("_peek", &Queue::peek, arg("group_id"), arg("limit"))
      .def("_cancel", &Queue::cancel, arg("group_id"), arg("event"))
      .def("_stats", &Queue::stats)
      .def("_dead_letters", &Queue::dead_letters, arg("limit"), arg("after_seq"))
      .def("_reopen", &Queue::reopen)
      .def("_wake_waiters", &Queue::wake_waiters);
}

}  // namespace

void add_queue_type(py::module_& module) {
  py::class_<StopSource>(module, "StopSource")
      .def(py::init<>())
      .def(
          "request_stop", [](StopSource& stop) { stop.source.request_stop(); },
          py::call_guard<py::gil_scoped_release>());
  py::class_<PendingLease>(module, "PendingLease", collected<PendingLease>())
      .def("look", &PendingLease::look,
           "look(self)\n--\n\n"
           "The lease, once; None without one.")
      .def("cancel", &PendingLease::cancel,
           "cancel(self)\n--\n\n"
           "Give up; a lease that was given meanwhile is released.")
      .def("delay", &PendingLease::delay,
           "delay(self)\n--\n\n"
           "Seconds until it has to look again though nothing was notified; None: never.")
      .def_property_readonly("is_waiting", &PendingLease::is_waiting);
  py::class_<Queue> queue(module, "Queue", collected<Queue>());
  queue.def(py::init([](py::object clock, const std::string& rotation, py::handle max_attempts,
                        const std::string& when_exhausted, py::handle max_messages,
                        py::handle max_group_messages, py::handle max_event_bytes,
                        py::object event_bytes) {
              return std::make_unique<Queue>(
                  std::move(clock),
                  options_of(rotation, when_exhausted, max_attempts, max_messages,
                             max_group_messages, max_event_bytes),
                  std::move(event_bytes));
            }),
            arg("clock"), arg("rotation"), arg("max_attempts"), arg("when_exhausted"),
            arg("max_messages"), arg("max_group_messages"), arg("max_event_bytes"),
            arg("event_bytes"));
  add_hot_verbs(queue);
  add_verbs(queue);
  add_control(queue);
}

}  // namespace fairlane::python

PYBIND11_MODULE(_core, module) {
  namespace python = fairlane::python;
  // Each text begins with its signature, as the interpreter's own functions do it.
  pybind11::options options;
  options.disable_function_signatures();
  python::prepare_conversions();
  python::add_lease_type(module);
  python::add_queue_type(module);
  pybind11::register_exception_translator(python::translate);
  module.def("backoff_delay", &python::backoff_delay);
  module.def("forked", &python::Process::forked);
}
