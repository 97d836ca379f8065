// A claim that waits without a thread of its own, for event loops.
#pragma once

#include <optional>
#include <utility>

#include "fairlane/detail/adopt.h"
#include "fairlane/detail/pending_claim.h"
#include "fairlane/lease.h"

namespace fairlane {

/// What `InMemoryTransport::start_claim` returns: a `claim_wait` whose waiting is left to the
/// caller's event loop. The loop calls `look` when it was notified, and at `look_at` at the latest.
///
/// Destroying it gives the claim up; a lease that was given meanwhile is then released, so nothing
/// is lost and no attempt is spent.
///
/// Threads:  one at a time.
/// Lifetime: borrows the transport; has to be destroyed before it.
template <class Event>
class PendingClaim {
 public:
  explicit PendingClaim(detail::PendingClaim claim) noexcept : claim_(std::move(claim)) {}
  PendingClaim(PendingClaim&&) noexcept = default;
  PendingClaim& operator=(PendingClaim&&) = delete;
  ~PendingClaim() { static_cast<void>(detail::adopt_lease<Event>(claim_.abandon())); }

  /// The lease, once. Without one: `is_waiting` tells whether it may still come.
  std::optional<Lease<Event>> look() { return detail::adopt_lease<Event>(claim_.look()); }

  /// False once a lease was returned, the timeout is over or the transport was closed.
  bool is_waiting() const noexcept { return claim_.is_waiting(); }

  /// When to look again though nothing was notified, on the transport's clock: leases, parks and
  /// the timeout run out by themselves. As of the last `look`; `Instant::max()` is never.
  Instant look_at() const noexcept { return claim_.look_at(); }

 private:
  detail::PendingClaim claim_;
};

}  // namespace fairlane
