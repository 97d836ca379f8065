// The in-memory transport behind fairlane.InMemoryTransport.
//
// The interpreter lock is held in all calls but the waiting ones, which hold no Python object then
// and take it again when they are done. The native lock is the inner one of the two: who holds it
// never asks for the interpreter's.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <stop_token>

#include "fairlane/in_memory_transport.h"
#include "host_clock.h"
#include "item.h"

namespace fairlane::python {

namespace py = pybind11;

using NativeQueue = InMemoryTransport<Item>;

/// After `fork` a child's copy may have been in the midst of anything: what was made before is
/// refused there.
class Process {
 public:
  static void forked() noexcept { ++generation; }
  bool is_this() const noexcept { return made_in_ == generation; }
  void check() const;

 private:
  static inline unsigned generation = 0;  // Under the interpreter lock.
  const unsigned made_in_ = generation;
};

/// What ends waiting claims from Python.
struct StopSource {
  std::stop_source source;
};

/// A callable that a transport calls from any thread. Shared with the transport, which may still be
/// about to when its claim is gone.
class Notify {
 public:
  explicit Notify(py::object callable) noexcept : callable_(callable.release().ptr()) {}
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;
  ~Notify();

  void operator()() const noexcept;
  PyObject* callable() const noexcept { return callable_; }
  void clear() noexcept { Py_CLEAR(callable_); }

 private:
  PyObject* callable_;  // Under the interpreter lock. Null: nobody listens any more.
};

/// A claim that waits without a thread.
class PendingLease {
 public:
  PendingLease(std::shared_ptr<NativeQueue> queue, py::handle worker_id,
               std::shared_ptr<Notify> notify, PendingClaim<Item> claim);
  ~PendingLease();

  py::object look();
  bool is_waiting() const;
  /// Seconds until it has to look again; None: only when notified.
  py::object delay() const;
  void cancel();

  int traverse(visitproc visit, void* arg) const;
  void clear() noexcept {
    if (process_.is_this()) cancel();
  }

 private:
  const Process process_;
  const std::shared_ptr<NativeQueue> queue_;
  const py::object worker_id_;
  const std::shared_ptr<Notify> notify_;
  std::optional<PendingClaim<Item>> claim_;
};

class Queue {
 public:
  Queue(py::object clock, const QueueOptions& options, py::object event_bytes);
  ~Queue();

  std::uint64_t publish(py::handle group_id, py::handle event, py::handle priority);
  py::list publish_batch(py::handle messages);
  py::object publish_wait(py::handle group_id, py::handle event, py::handle priority,
                          py::handle timeout, py::handle stop);
  py::object claim(py::handle worker_id, py::handle visibility, py::handle min_priority);
  py::list claim_batch(py::handle n, py::handle worker_id, py::handle visibility,
                       py::handle min_priority);
  py::object claim_wait(py::handle worker_id, py::handle visibility, py::handle min_priority,
                        py::handle timeout, py::handle stop);
  py::object start_claim(py::handle worker_id, py::handle visibility, py::handle min_priority,
                         py::handle timeout, py::object notify);

  bool ack(py::handle lease);
  py::list ack_batch(py::handle leases);
  py::tuple ack_claim(py::handle lease, py::handle worker_id, py::handle visibility,
                      py::handle min_priority);
  bool nack(py::handle lease, py::handle delay);
  bool extend(py::handle lease, py::handle visibility);
  bool release(py::handle lease);
  bool reject(py::handle lease, py::handle reason);

  // Control plane (control.cc). Records are dicts and tuples, which the package makes classes of.
  void suspend(py::handle group_id);
  void resume(py::handle group_id);
  std::uint64_t terminate(py::handle group_id);
  py::tuple cancel(py::handle group_id, py::handle event);
  py::dict inspect(py::handle group_id);
  py::list groups(bool suspended, py::handle limit, py::handle after);
  py::list peek(py::handle group_id, py::handle limit);
  py::dict stats();
  py::list dead_letters(py::handle limit, py::handle after_seq);
  std::uint64_t redrive(py::handle seq);
  void drop_dead(py::handle seq);

  double now();
  void close();
  void reopen();
  void wake_waiters();

  int traverse(visitproc visit, void* arg) const;
  void clear() noexcept;

 private:
  NativeQueue& native() const;

  const Process process_;
  std::shared_ptr<HostClock> clock_;
  py::object event_bytes_;
  std::shared_ptr<NativeQueue> queue_;  // Null once the garbage collector has cleared it.
};

/// Adds the class to the module, as `Queue`, with what it returns and takes.
void add_queue_type(py::module_& module);

}  // namespace fairlane::python
