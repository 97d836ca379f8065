// The in-process transport: the reference, and the default.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "fairlane/detail/adopt.h"
#include "fairlane/detail/memory_store.h"
#include "fairlane/pending_claim.h"
#include "fairlane/transport.h"

namespace fairlane {

/// How to open an `InMemoryTransport`.
template <class Event>
struct InMemoryOptions {
  QueueOptions queue = {};
  std::shared_ptr<Clock> clock = monotonic_clock();
  /// The size of an event, for `max_event_bytes`. Needed where that is set, but for events that
  /// have a `size()` themselves, such as `Bytes`.
  std::function<std::size_t(const Event&)> event_bytes = nullptr;
};

/// Keeps the published objects themselves, in this process; they die with it.
///
/// `Event` is any type that moves without throwing (move-only ones too) or can be copied.
///
/// Threads:    as Transport. Calls are short and serialized by one lock; events are constructed and
///             destroyed, and clocks read, without it, so an event's destructor may call back here.
/// Cost:       each verb O(log groups) at worst, claims also by the number of distinct priorities
///             in use (a handful in practice); none by backlog, by groups below the floor, or by
///             how many are in flight.
/// Time:       leases and parks that ran out take effect at their instant, seen by every call.
/// Lifetime:   as Transport. `close` ends all waiting; the other verbs go on working.
template <class Event>
class InMemoryTransport final : public Transport<Event>, private Control<Event> {
  static_assert(
      std::is_nothrow_move_constructible_v<Event> || std::copy_constructible<Event>,
      "an event has to move without throwing, or be copyable: else an error could lose it");
  using Node = detail::EventNode<Event>;

 public:
  explicit InMemoryTransport(InMemoryOptions<Event> options = {})
      : event_bytes_(std::move(options.event_bytes)),
        store_(
            resolve(options.queue), std::move(options.clock),
            [](detail::MessageNode* node) noexcept { Node::destroy(static_cast<Node*>(node)); }) {
    if constexpr (requires(const Event& event) {
                    { event.size() } -> std::convertible_to<std::size_t>;
                  }) {
      if (!event_bytes_) event_bytes_ = [](const Event& event) { return event.size(); };
    }
    if (store_.rules().max_event_bytes != 0 && !event_bytes_) {
      throw std::invalid_argument("max_event_bytes is set, but not event_bytes");
    }
  }

  /// Events still held are destroyed first, while calls from their destructors still work.
  ~InMemoryTransport() override { store_.clear(); }

  using Transport<Event>::publish;

  std::uint64_t publish(std::string_view group_id, Event&& event,
                        std::int32_t priority = 0) override {
    detail::check_group_id(group_id);
    check_size(event);
    Staged staged(event);
    const auto seq = store_.publish({group_id, staged.node(), priority});
    staged.commit();
    return seq;
  }

  std::vector<std::uint64_t> publish_batch(std::span<Publication<Event>> messages) override {
    for (const auto& message : messages) detail::check_group_id(message.group_id);
    for (const auto& message : messages) check_size(message.event);
    std::vector<Staged> staged;
    std::vector<detail::NodePublication> publications;
    staged.reserve(messages.size());
    publications.reserve(messages.size());
    for (auto& message : messages) {
      staged.emplace_back(message.event);
      publications.push_back({message.group_id, staged.back().node(), message.priority});
    }
    auto seqs = store_.publish_batch(publications);
    for (auto& each : staged) each.commit();
    return seqs;
  }

  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Event&& event,
                                            std::int32_t priority = 0,
                                            Duration timeout = Duration::max(),
                                            std::stop_token stop = {}) override {
    detail::check_group_id(group_id);
    detail::check_duration(timeout, "timeout");
    check_size(event);
    Staged staged(event);
    const auto seq =
        store_.publish_wait({group_id, staged.node(), priority}, timeout, std::move(stop));
    if (seq) staged.commit();
    return seq;
  }

  std::optional<Lease<Event>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority = 0) override {
    return detail::adopt_lease<Event>(store_.claim(worker_id, visibility, min_priority));
  }

  std::vector<Lease<Event>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility,
                                        std::int32_t min_priority = 0) override {
    std::vector<Lease<Event>> leases;
    const auto grants = store_.claim_batch(n, worker_id, visibility, min_priority);
    leases.reserve(grants.size());
    for (const auto& grant : grants) leases.push_back(detail::adopt_lease<Event>(grant));
    return leases;
  }

  std::optional<Lease<Event>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority = 0,
                                         Duration timeout = Duration::max(),
                                         std::stop_token stop = {}) override {
    return detail::adopt_lease<Event>(
        store_.claim_wait(worker_id, visibility, min_priority, timeout, std::move(stop)));
  }

  /// A `claim_wait` without a thread, for event loops. `notify` is called when it is time to look:
  /// from any thread, with no lock held, perhaps before this returns; it must not throw.
  /// Errors: `std::invalid_argument` also for an empty `notify`.
  PendingClaim<Event> start_claim(std::string_view worker_id, Duration visibility,
                                  std::int32_t min_priority, Duration timeout,
                                  std::function<void()> notify) {
    return PendingClaim<Event>(
        store_.start_claim(worker_id, visibility, min_priority, timeout, std::move(notify)));
  }

  Settled ack(const Lease<Event>& lease) override { return store_.ack(handle(lease)); }

  std::vector<Settled> ack_batch(std::span<const Lease<Event>> leases) override {
    std::vector<detail::LeaseHandle> handles;
    handles.reserve(leases.size());
    for (const auto& each : leases) handles.push_back(handle(each));
    return store_.ack_batch(handles);
  }

  AckedAndClaimed<Event> ack_claim(const Lease<Event>& acked, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority = 0) override {
    std::optional<detail::Grant> grant;
    const auto settled =
        store_.ack_claim(handle(acked), worker_id, visibility, min_priority, grant);
    return {settled, detail::adopt_lease<Event>(grant)};
  }

  Settled nack(const Lease<Event>& lease, Duration delay = {}) override {
    return store_.nack(handle(lease), delay);
  }
  Settled extend(const Lease<Event>& lease, Duration visibility) override {
    return store_.extend(handle(lease), visibility);
  }
  Settled release(const Lease<Event>& lease) override { return store_.release(handle(lease)); }
  Settled reject(const Lease<Event>& lease, std::string_view reason = {}) override {
    return store_.reject(handle(lease), reason);
  }

  void close() override { store_.close(); }

  /// As if this transport had been closed and its store opened again: what it holds and the leases
  /// given stay, waiting works again, the totals of `stats` start anew.
  void reopen() { store_.reopen(); }

  /// Calls `visit(event)` for each event the store holds, dead letters included, in no order: for
  /// hosts that have to know what a container refers to, such as garbage collectors. Under the
  /// lock, so `visit` must not throw, nor call anything of this transport's.
  template <class Visit>
  void visit_events(Visit&& visit) {
    using Callable = std::remove_reference_t<Visit>;
    store_.visit_nodes(
        [](detail::MessageNode* node, void* context) {
          (*static_cast<Callable*>(context))(std::as_const(static_cast<Node*>(node)->event));
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(visit))));
  }

  /// Lets everyone who waits look at the clock again: for clocks that were moved by hand and know
  /// nothing of who sleeps by them.
  void wake_waiters() { store_.wake_waiters(); }

  Control<Event>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return store_.clock(); }

 private:
  /// An event on its way into the store; goes back to its owner unless committed.
  class Staged {
   public:
    explicit Staged(Event& owner) : owner_(&owner), node_(new Node(std::move_if_noexcept(owner))) {
      node_->owners.store(2, std::memory_order_relaxed);  // As NodePublication says.
    }
    Staged(Staged&& other) noexcept
        : owner_(other.owner_), node_(std::exchange(other.node_, nullptr)) {}
    Staged& operator=(Staged&&) = delete;
    ~Staged() {
      if (node_ == nullptr) return;
      if constexpr (std::is_nothrow_move_constructible_v<Event>) {
        std::destroy_at(owner_);
        std::construct_at(owner_, std::move(node_->event));
      }
      Node::destroy(node_);
    }
    Node* node() const noexcept { return node_; }
    void commit() noexcept { node_ = nullptr; }

   private:
    Event* owner_;
    Node* node_;
  };

  void check_size(const Event& event) const {
    const auto limit = store_.rules().max_event_bytes;
    if (limit == 0) return;
    if (const auto bytes = event_bytes_(event); bytes > limit)
      detail::throw_too_large(bytes, limit);
  }

  static detail::LeaseHandle handle(const Lease<Event>& lease) noexcept {
    const LeaseKey& key = lease.key();
    return {key.store, key.fence, key.seq, lease.shared_group_id().get()};
  }

  void suspend(std::string_view group_id) override { store_.suspend(group_id); }
  void resume(std::string_view group_id) override { store_.resume(group_id); }
  std::uint64_t terminate(std::string_view group_id) override { return store_.terminate(group_id); }
  Cancelled cancel(std::string_view group_id, Event&& event) override {
    detail::check_group_id(group_id);
    check_size(event);
    Staged staged(event);
    const auto cancelled = store_.cancel(group_id, staged.node());
    staged.commit();
    return cancelled;
  }
  GroupInfo inspect(std::string_view group_id) override { return store_.inspect(group_id); }
  std::vector<std::string> groups(const GroupQuery& query) override { return store_.groups(query); }
  std::vector<QueuedMessage<Event>> peek(std::string_view group_id, std::size_t limit) override {
    std::vector<QueuedMessage<Event>> messages;
    for (const auto& node : store_.peek(group_id, limit)) {
      messages.push_back({node.seq, detail::adopt_event<Event>(node.event), node.attempts});
    }
    return messages;
  }
  Stats stats() override { return store_.stats(); }
  std::vector<DeadLetter<Event>> dead_letters(std::size_t limit, std::uint64_t after_seq) override {
    std::vector<DeadLetter<Event>> letters;
    for (auto& dead : store_.dead_letters(limit, after_seq)) {
      letters.push_back({dead.seq, std::move(dead.group_id), detail::adopt_event<Event>(dead.event),
                         dead.attempts, dead.priority, std::move(dead.worker_id),
                         std::move(dead.reason)});
    }
    return letters;
  }
  std::uint64_t redrive(std::uint64_t seq) override { return store_.redrive(seq); }
  void drop_dead(std::uint64_t seq) override { store_.drop_dead(seq); }

  std::function<std::size_t(const Event&)> event_bytes_;
  detail::MemoryStore store_;
};

}  // namespace fairlane
