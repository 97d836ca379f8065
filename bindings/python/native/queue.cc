#include "queue.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "convert.h"
#include "lease.h"

namespace fairlane::python {

namespace {

/// A list of what the single calls would have returned.
py::list bools(const std::vector<Settled>& settled) {
  py::list answers(settled.size());
  for (std::size_t i = 0; i < settled.size(); ++i) {
    answers[i] = py::bool_(settled[i] == Settled::done);
  }
  return answers;
}

std::stop_token token_of(py::handle stop) {
  if (stop.is_none()) return {};
  const auto source = py::getattr(stop, "_source", py::none());
  if (!py::isinstance<StopSource>(source)) {
    throw py::type_error("stop must be a fairlane.Stop, not " + py::repr(stop).cast<std::string>());
  }
  return source.cast<const StopSource&>().source.get_token();
}

Publication<Item> publication_of(py::handle message) {
  const auto parts = py::reinterpret_steal<py::object>(
      PySequence_Fast(message.ptr(),
                      "a message must be (group_id, event) or (group_id, event, "
                      "priority)"));
  if (!parts) throw py::error_already_set();
  const auto size = PySequence_Fast_GET_SIZE(parts.ptr());
  PyObject** const part = PySequence_Fast_ITEMS(parts.ptr());
  if (size != 2 && size != 3) {
    throw py::value_error("a message must be (group_id, event) or (group_id, event, priority): " +
                          py::repr(message).cast<std::string>());
  }
  return {group_id_of(part[0]), Item(part[1], part[0]),
          size == 3 ? priority_of(part[2], "priority") : 0};
}

/// The lease for Python, or None; handed back if there is no memory for it.
py::object lend(NativeQueue& queue, const std::optional<Lease<Item>>& lease, py::handle worker_id) {
  if (!lease) return py::none();
  try {
    return make_lease(*lease, worker_id);
  } catch (...) {
    static_cast<void>(queue.release(*lease));
    throw;
  }
}

std::function<std::size_t(const Item&)> sizes_by(const py::object& event_bytes) {
  if (event_bytes.is_none()) {
    return [](const Item& item) {
      const EnsureGil gil;  // A publish that waits has let go of it.
      const auto size = PyObject_Size(item.event());
      if (size < 0) throw py::error_already_set();
      return static_cast<std::size_t>(size);
    };
  }
  // The transport's own reference is what keeps it alive, and what the collector sees.
  return [callable = event_bytes.ptr()](const Item& item) {
    const EnsureGil gil;
    const auto size =
        py::reinterpret_steal<py::object>(PyObject_CallOneArg(callable, item.event()));
    if (!size) throw py::error_already_set();
    return static_cast<std::size_t>(count_of(size, "what event_bytes returned"));
  };
}

}  // namespace

void Process::check() const {
  if (is_this()) return;
  throw std::runtime_error(
      "this transport was made before a fork and cannot be used in the child: make one there");
}

Queue::Queue(py::object clock, const QueueOptions& options, py::object event_bytes)
    : clock_(std::make_shared<HostClock>(std::move(clock))),
      event_bytes_(std::move(event_bytes)),
      queue_(std::make_shared<NativeQueue>(InMemoryOptions<Item>{
          .queue = options, .clock = clock_, .event_bytes = sizes_by(event_bytes_)})) {}

Queue::~Queue() {
  // In a child its lock may be held for ever by a thread that did not come along.
  if (!process_.is_this()) new std::shared_ptr<NativeQueue>(std::move(queue_));
}

NativeQueue& Queue::native() const {
  process_.check();
  if (queue_ == nullptr) throw std::runtime_error("this transport was garbage");
  return *queue_;
}

std::uint64_t Queue::publish(py::handle group_id, py::handle event, py::handle priority) {
  const auto name = group_id_of(group_id);
  const auto at = priority_of(priority, "priority");
  return native().publish(name, Item(event.ptr(), group_id.ptr()), at);
}

py::list Queue::publish_batch(py::handle messages) {
  std::vector<Publication<Item>> publications;
  for (const auto& message : py::iter(messages)) publications.push_back(publication_of(message));
  const auto seqs = native().publish_batch(publications);
  py::list numbers(seqs.size());
  for (std::size_t i = 0; i < seqs.size(); ++i) numbers[i] = py::int_(seqs[i]);
  return numbers;
}

py::object Queue::publish_wait(py::handle group_id, py::handle event, py::handle priority,
                               py::handle timeout, py::handle stop) {
  const auto name = group_id_of(group_id);
  const auto at = priority_of(priority, "priority");
  const auto longest = timeout_of(timeout);
  NativeQueue& queue = native();
  Item item(event.ptr(), group_id.ptr());
  SignalCheck check(token_of(stop));
  std::optional<std::uint64_t> seq;
  {
    const py::gil_scoped_release without_gil;
    seq = queue.publish_wait(name, std::move(item), at, longest, check.token());
  }
  check.rethrow();
  if (!seq) return py::none();
  return py::int_(*seq);
}

py::object Queue::claim(py::handle worker_id, py::handle visibility, py::handle min_priority) {
  const auto worker = text_of(worker_id, "worker_id");
  const auto lasts = duration_of(visibility, "visibility");
  const auto floor = priority_of(min_priority, "min_priority");
  NativeQueue& queue = native();
  return lend(queue, queue.claim(worker, lasts, floor), worker_id);
}

py::list Queue::claim_batch(py::handle n, py::handle worker_id, py::handle visibility,
                            py::handle min_priority) {
  const auto most = count_of(n, "n");
  const auto worker = text_of(worker_id, "worker_id");
  const auto lasts = duration_of(visibility, "visibility");
  const auto floor = priority_of(min_priority, "min_priority");
  auto claimed = native().claim_batch(most, worker, lasts, floor);
  py::list leases;
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    try {
      leases.append(make_lease(claimed[i], worker_id));
    } catch (...) {
      for (const auto& lease : claimed) static_cast<void>(queue_->release(lease));
      throw;
    }
  }
  return leases;
}

py::object Queue::claim_wait(py::handle worker_id, py::handle visibility, py::handle min_priority,
                             py::handle timeout, py::handle stop) {
  const auto worker = text_of(worker_id, "worker_id");
  const auto lasts = duration_of(visibility, "visibility");
  const auto floor = priority_of(min_priority, "min_priority");
  const auto longest = timeout_of(timeout);
  NativeQueue& queue = native();
  if (const auto lease = queue.claim(worker, lasts, floor)) return lend(queue, lease, worker_id);
  SignalCheck check(token_of(stop));
  std::optional<Lease<Item>> lease;
  {
    const py::gil_scoped_release without_gil;
    lease = queue.claim_wait(worker, lasts, floor, longest, check.token());
  }
  if (check.raised()) {
    // What came at that very moment is for somebody else.
    if (lease) static_cast<void>(queue.release(*lease));
    check.rethrow();
  }
  return lend(queue, lease, worker_id);
}

py::object Queue::start_claim(py::handle worker_id, py::handle visibility, py::handle min_priority,
                              py::handle timeout, py::object notify) {
  const auto worker = text_of(worker_id, "worker_id");
  const auto lasts = duration_of(visibility, "visibility");
  const auto floor = priority_of(min_priority, "min_priority");
  const auto longest = timeout_of(timeout);
  auto call = std::make_shared<Notify>(std::move(notify));
  auto claim = native().start_claim(worker, lasts, floor, longest, [call] { (*call)(); });
  if (claim.is_waiting()) {
    return py::cast(
        std::make_unique<PendingLease>(queue_, worker_id, std::move(call), std::move(claim)));
  }
  return lend(*queue_, claim.look(), worker_id);
}

bool Queue::ack(py::handle lease) { return native().ack(claim_of(lease)) == Settled::done; }

py::list Queue::ack_batch(py::handle leases) {
  std::vector<Claim> claims;
  for (const auto& lease : py::iter(leases)) claims.push_back(claim_of(lease));
  return bools(native().ack_batch(claims));
}

py::tuple Queue::ack_claim(py::handle lease, py::handle worker_id, py::handle visibility,
                           py::handle min_priority) {
  const Claim& claim = claim_of(lease);
  const auto worker = text_of(worker_id, "worker_id");
  const auto lasts = duration_of(visibility, "visibility");
  const auto floor = priority_of(min_priority, "min_priority");
  const auto both = native().ack_claim(claim, worker, lasts, floor);
  return py::make_tuple(both.settled == Settled::done, lend(*queue_, both.lease, worker_id));
}

bool Queue::nack(py::handle lease, py::handle delay) {
  const Claim& claim = claim_of(lease);
  return native().nack(claim, duration_of(delay, "delay")) == Settled::done;
}

bool Queue::extend(py::handle lease, py::handle visibility) {
  const Claim& claim = claim_of(lease);
  return native().extend(claim, duration_of(visibility, "visibility")) == Settled::done;
}

bool Queue::release(py::handle lease) { return native().release(claim_of(lease)) == Settled::done; }

bool Queue::reject(py::handle lease, py::handle reason) {
  const Claim& claim = claim_of(lease);
  return native().reject(claim, text_of(reason, "reason")) == Settled::done;
}

double Queue::now() {
  process_.check();
  return seconds_of(clock_->now());
}

void Queue::close() { native().close(); }
void Queue::reopen() { native().reopen(); }
void Queue::wake_waiters() { native().wake_waiters(); }

int Queue::traverse(visitproc visit, void* arg) const {
  Py_VISIT(clock_->callable());
  Py_VISIT(event_bytes_.ptr());
  if (queue_ == nullptr || !process_.is_this()) return 0;
  // Counting references runs no Python code, so it may be done under the native lock.
  int stopped = 0;
  const auto visit_one = [&](PyObject* object) {
    if (stopped == 0) stopped = visit(object, arg);
  };
  queue_->visit_events([&](const Item& item) {
    visit_one(item.event());
    visit_one(item.group_id());
  });
  return stopped;
}

void Queue::clear() noexcept {
  if (process_.is_this()) queue_ = nullptr;
}

PendingLease::PendingLease(std::shared_ptr<NativeQueue> queue, py::handle worker_id,
                           std::shared_ptr<Notify> notify, PendingClaim<Item> claim)
    : queue_(std::move(queue)),
      worker_id_(py::reinterpret_borrow<py::object>(worker_id)),
      notify_(std::move(notify)),
      claim_(std::move(claim)) {}

PendingLease::~PendingLease() {
  if (process_.is_this()) return;
  // As for the queue itself.
  if (claim_) new PendingClaim<Item>(std::move(*claim_));
  new std::shared_ptr<NativeQueue>(queue_);
}

py::object PendingLease::look() {
  process_.check();
  if (!claim_) return py::none();
  return lend(*queue_, claim_->look(), worker_id_);
}

bool PendingLease::is_waiting() const { return claim_ && claim_->is_waiting(); }

py::object PendingLease::delay() const {
  process_.check();
  if (!is_waiting() || claim_->look_at() == Instant::max()) return py::none();
  const Instant now = queue_->clock()->now();
  const Instant at = claim_->look_at();
  return py::float_(at <= now ? 0.0 : seconds_of(Duration(at - now)));
}

void PendingLease::cancel() {
  process_.check();
  claim_.reset();
  notify_->clear();
}

int PendingLease::traverse(visitproc visit, void* arg) const {
  Py_VISIT(worker_id_.ptr());
  Py_VISIT(notify_->callable());
  return 0;
}

void Notify::operator()() const noexcept {
  const EnsureGil gil;
  if (callable_ == nullptr) return;
  const auto kept = py::reinterpret_borrow<py::object>(callable_);
  PyObject* const result = PyObject_CallNoArgs(callable_);
  if (result == nullptr) {
    PyErr_WriteUnraisable(callable_);
  } else {
    Py_DECREF(result);
  }
}

Notify::~Notify() {
  if (callable_ == nullptr) return;
  const EnsureGil gil;
  Py_DECREF(callable_);
}

}  // namespace fairlane::python
