// A claim that waits without a thread, over nodes. Not for direct use: see PendingClaim<Event>.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "fairlane/clock.h"
#include "fairlane/detail/nodes.h"

namespace fairlane::memory {
class StoreState;
struct Waiter;
}  // namespace fairlane::memory

namespace fairlane::detail {

/// Threads: one at a time. Lifetime: borrows the store.
class PendingClaim {
 public:
  /// With neither a grant nor a waiter there is nothing to wait for.
  PendingClaim(memory::StoreState& state, std::shared_ptr<memory::Waiter> waiter,
               std::optional<Grant> grant, Instant look_at) noexcept
      : state_(&state), waiter_(std::move(waiter)), grant_(grant), look_at_(look_at) {}
  PendingClaim(PendingClaim&& other) noexcept
      : state_(other.state_),
        waiter_(std::move(other.waiter_)),
        grant_(std::exchange(other.grant_, std::nullopt)),
        look_at_(other.look_at_) {}
  PendingClaim& operator=(PendingClaim&&) = delete;
  /// It has been abandoned before.
  ~PendingClaim() = default;

  std::optional<Grant> look();
  bool is_waiting() const noexcept { return waiter_ != nullptr; }
  Instant look_at() const noexcept { return look_at_; }

  /// Gives up. A grant that was not taken is handed back to the store, and its ownerships to the
  /// caller.
  std::optional<Grant> abandon() noexcept;

 private:
  memory::StoreState* state_;
  std::shared_ptr<memory::Waiter> waiter_;  // Null once it does not wait any more.
  std::optional<Grant> grant_;
  Instant look_at_;
};

}  // namespace fairlane::detail
