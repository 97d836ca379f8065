// The in-memory store behind InMemoryTransport<Event>, compiled once for all events: it handles
// them as counted nodes of unknown type. Not for direct use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/control.h"
#include "fairlane/detail/arguments.h"
#include "fairlane/detail/nodes.h"
#include "fairlane/detail/pending_claim.h"
#include "fairlane/lease.h"
#include "fairlane/options.h"

namespace fairlane::memory {
class StoreState;
}

namespace fairlane::detail {

/// Destroys a node that lost its last owner. Called with no lock held.
using DestroyNode = void (*)(MessageNode*) noexcept;

/// The contract over nodes. Publishing calls take over the caller's ownership of a node only if
/// they return normally. Threads: any. No lock is held while a node is destroyed or a clock read.
class MemoryStore {
 public:
  MemoryStore(const QueueRules& rules, std::shared_ptr<Clock> clock, DestroyNode destroy);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  std::uint64_t publish(const NodePublication& publication);
  std::vector<std::uint64_t> publish_batch(std::span<const NodePublication> publications);
  std::optional<std::uint64_t> publish_wait(const NodePublication& publication, Duration timeout,
                                            std::stop_token stop);

  std::optional<Grant> claim(std::string_view worker_id, Duration visibility,
                             std::int32_t min_priority);
  std::vector<Grant> claim_batch(std::size_t n, std::string_view worker_id, Duration visibility,
                                 std::int32_t min_priority);
  std::optional<Grant> claim_wait(std::string_view worker_id, Duration visibility,
                                  std::int32_t min_priority, Duration timeout,
                                  std::stop_token stop);

  PendingClaim start_claim(std::string_view worker_id, Duration visibility,
                           std::int32_t min_priority, Duration timeout,
                           std::function<void()> notify);

  Settled ack(const LeaseHandle& lease);
  std::vector<Settled> ack_batch(std::span<const LeaseHandle> leases);
  Settled ack_claim(const LeaseHandle& lease, std::string_view worker_id, Duration visibility,
                    std::int32_t min_priority, std::optional<Grant>& grant);
  Settled nack(const LeaseHandle& lease, Duration delay);
  Settled extend(const LeaseHandle& lease, Duration visibility);
  Settled release(const LeaseHandle& lease);
  Settled reject(const LeaseHandle& lease, std::string_view reason);

  void suspend(std::string_view group_id);
  void resume(std::string_view group_id);
  std::uint64_t terminate(std::string_view group_id);
  Cancelled cancel(std::string_view group_id, MessageNode* event);
  GroupInfo inspect(std::string_view group_id);
  std::vector<std::string> groups(const GroupQuery& query);
  std::vector<QueuedNode> peek(std::string_view group_id, std::size_t limit);
  Stats stats();
  std::vector<DeadNode> dead_letters(std::size_t limit, std::uint64_t after_seq);
  std::uint64_t redrive(std::uint64_t seq);
  void drop_dead(std::uint64_t seq);

  /// Calls `visit`, which does not throw, for each node of a queued message and of a dead letter,
  /// under the lock. Reads no clock and wakes nobody.
  void visit_nodes(void (*visit)(MessageNode*, void* context), void* context) noexcept;

  void close();
  void reopen();
  void wake_waiters();
  /// Destroys all events, and those that their destructors publish.
  void clear() noexcept;
  const std::shared_ptr<Clock>& clock() const noexcept;
  const QueueRules& rules() const noexcept;

 private:
  std::unique_ptr<memory::StoreState> state_;
};

}  // namespace fairlane::detail
