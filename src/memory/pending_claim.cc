#include "fairlane/detail/pending_claim.h"

#include <new>
#include <utility>

#include "memory/store_state.h"

namespace fairlane::detail {

std::optional<Grant> PendingClaim::look() {
  if (waiter_ != nullptr) {
    using Found = memory::StoreState::Look::Found;
    const auto seen = state_->look(waiter_, false);
    look_at_ = seen.next;
    if (seen.found == Found::served) grant_ = std::exchange(waiter_->grant, std::nullopt);
    if (seen.found != Found::nothing) waiter_ = nullptr;
  }
  return std::exchange(grant_, std::nullopt);
}

std::optional<Grant> PendingClaim::abandon() noexcept {
  if (waiter_ != nullptr) {
    const auto waiter = std::exchange(waiter_, nullptr);
    if (!state_->withdraw(*waiter)) grant_ = std::exchange(waiter->grant, std::nullopt);
  }
  if (grant_) {
    const LeaseKey& key = grant_->key;
    const memory::Section section(*state_);
    try {
      static_cast<void>(
          state_->scheduler.release({key.store, key.fence, key.seq, grant_->group_id}));
    } catch (const std::bad_alloc&) {
      // The lease runs out instead.
    }
  }
  return std::exchange(grant_, std::nullopt);
}

}  // namespace fairlane::detail
