// The control plane for Python: each record as the dict or tuple the package makes a class of.
#include <pybind11/stl.h>

#include "convert.h"
#include "lease.h"
#include "queue.h"

namespace fairlane::python {

namespace {

/// Ids of groups of which no message is at hand: text where the bytes are UTF-8.
py::object name_of(const std::string& group_id) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(group_id.data(), static_cast<Py_ssize_t>(group_id.size()), "strict");
  if (text != nullptr) return py::reinterpret_steal<py::object>(text);
  PyErr_Clear();
  return py::bytes(group_id);
}

py::object borrowed(PyObject* object) { return py::reinterpret_borrow<py::object>(object); }

}  // namespace

void Queue::suspend(py::handle group_id) { native().control().suspend(group_id_of(group_id)); }
void Queue::resume(py::handle group_id) { native().control().resume(group_id_of(group_id)); }

std::uint64_t Queue::terminate(py::handle group_id) {
  return native().control().terminate(group_id_of(group_id));
}

py::tuple Queue::cancel(py::handle group_id, py::handle event) {
  const auto cancelled =
      native().control().cancel(group_id_of(group_id), Item(event.ptr(), group_id.ptr()));
  return py::make_tuple(cancelled.dropped, cancelled.seq);
}

py::dict Queue::inspect(py::handle group_id) {
  const GroupInfo info = native().control().inspect(group_id_of(group_id));
  py::dict record;
  record["state"] = to_string(info.state);
  record["suspended"] = info.suspended;
  record["messages"] = info.messages;
  record["priority"] = info.priority;
  record["last_claimed_at"] = seconds_of(info.last_claimed_at);
  record["until"] = info.until ? py::object(py::float_(seconds_of(*info.until))) : py::none();
  record["worker_id"] = py::cast(info.worker_id);
  record["attempt"] = py::cast(info.attempt);
  return record;
}

py::list Queue::groups(bool suspended, py::handle limit, py::handle after) {
  GroupQuery query{.suspended = suspended, .limit = count_of(limit, "limit")};
  if (!after.is_none()) query.after = group_id_of(after);
  py::list names;
  for (const auto& group_id : native().control().groups(query)) names.append(name_of(group_id));
  return names;
}

py::list Queue::peek(py::handle group_id, py::handle limit) {
  const auto messages = native().control().peek(group_id_of(group_id), count_of(limit, "limit"));
  py::list records;
  for (const auto& message : messages) {
    records.append(py::make_tuple(message.seq, borrowed(message.event->event()), message.attempts,
                                  borrowed(message.event->group_id())));
  }
  return records;
}

py::dict Queue::stats() {
  const Stats stats = native().control().stats();
  py::dict record;
  record["groups"] = stats.groups;
  record["ready"] = stats.ready;
  record["waiting"] = stats.waiting;
  record["leased"] = stats.leased;
  record["parked"] = stats.parked;
  record["suspended"] = stats.suspended;
  record["dead"] = stats.dead;
  record["oldest_age"] = seconds_of(stats.oldest_age);
  record["published"] = stats.published;
  record["claims"] = stats.claims;
  record["redelivered"] = stats.redelivered;
  record["acked"] = stats.acked;
  record["nacks"] = stats.nacks;
  record["released"] = stats.released;
  record["stale"] = stats.stale;
  record["dropped"] = stats.dropped;
  record["dead_lettered"] = stats.dead_lettered;
  record["redriven"] = stats.redriven;
  return record;
}

py::list Queue::dead_letters(py::handle limit, py::handle after_seq) {
  const auto letters =
      native().control().dead_letters(count_of(limit, "limit"), count_of(after_seq, "after_seq"));
  py::list records;
  for (const auto& letter : letters) {
    records.append(py::make_tuple(letter.seq, borrowed(letter.event->group_id()),
                                  borrowed(letter.event->event()), letter.attempts, letter.priority,
                                  letter.worker_id, letter.reason));
  }
  return records;
}

std::uint64_t Queue::redrive(py::handle seq) {
  return native().control().redrive(count_of(seq, "seq"));
}

void Queue::drop_dead(py::handle seq) { native().control().drop_dead(count_of(seq, "seq")); }

}  // namespace fairlane::python
