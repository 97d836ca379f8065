// Carries operations out on a real transport.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "fairlane/testing/manual_clock.h"
#include "operation.h"

namespace fairlane::model {

/// A transport under test with the clock it runs on.
struct Subject {
  std::unique_ptr<Transport<Bytes>> transport;
  std::shared_ptr<fairlane::testing::ManualClock> clock;
  /// Closes the store and opens it again, perhaps as another object.
  std::function<void(std::unique_ptr<Transport<Bytes>>& transport)> reopen;
  bool works_after_close = true;  ///< as in memory; elsewhere histories do not close
};

using OpenSubject = std::function<Subject(const QueueRules&)>;

/// An `InMemoryTransport` with these rules on a manual clock.
Subject open_memory(const QueueRules& rules);

/// Threads: `apply` from any thread.
class Driver {
 public:
  explicit Driver(Subject subject) : subject_(std::move(subject)) {}

  Outcome apply(const Operation& operation);

  /// Whether the history filled all lease names that the operation uses.
  bool has_leases_for(const Operation& operation) const;

  Subject& subject() noexcept { return subject_; }
  bool works_after_close() const noexcept { return subject_.works_after_close; }

 private:
  Outcome carry_out(const Operation& operation);
  Outcome claim(const Operation& operation);
  Outcome settle(const Operation& operation);
  Outcome list(const Operation& operation);
  Outcome change(const Operation& operation);
  LeaseView keep(std::uint64_t name, const Lease<Bytes>& lease);
  Lease<Bytes> named(std::uint64_t name) const;

  Subject subject_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Lease<Bytes>> leases_;
};

}  // namespace fairlane::model
