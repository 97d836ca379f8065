#include "liar.h"

#include <algorithm>
#include <utility>

namespace fairlane::model {
namespace {

class Liar final : public Transport<Bytes>, private Control<Bytes> {
 public:
  Liar(std::unique_ptr<Transport<Bytes>> honest, Lie lie, std::uint64_t at)
      : honest_(std::move(honest)), lie_(lie), left_(at) {}

  std::uint64_t publish(std::string_view group, Bytes&& event, std::int32_t priority) override {
    if (lies(Lie::forgets_a_priority)) priority += 2;
    return honest_->publish(group, std::move(event), priority);
  }
  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override {
    if (messages.size() > 1 && lies(Lie::turns_a_batch_around)) {
      std::reverse(messages.begin(), messages.end());
    }
    return honest_->publish_batch(messages);
  }
  std::optional<std::uint64_t> publish_wait(std::string_view group, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override {
    return honest_->publish_wait(group, std::move(event), priority, timeout, std::move(stop));
  }
  std::optional<Lease<Bytes>> claim(std::string_view worker, Duration visibility,
                                    std::int32_t floor) override {
    if (floor > 0 && lies(Lie::ignores_a_floor)) floor = -100;
    if (visibility > Duration() && lies(Lie::shortens_a_visibility)) {
      visibility = visibility.value() - std::chrono::milliseconds(1);
    }
    auto lease = honest_->claim(worker, visibility, floor);
    if (lease && lies(Lie::withholds_a_lease)) lease.reset();
    return lease;
  }
  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker, Duration visibility,
                                        std::int32_t floor) override {
    return honest_->claim_batch(n, worker, visibility, floor);
  }
  std::optional<Lease<Bytes>> claim_wait(std::string_view worker, Duration visibility,
                                         std::int32_t floor, Duration timeout,
                                         std::stop_token stop) override {
    return honest_->claim_wait(worker, visibility, floor, timeout, std::move(stop));
  }
  Settled ack(const Lease<Bytes>& lease) override {
    return lies(Lie::acks_without_removing) ? Settled::done : honest_->ack(lease);
  }
  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override {
    return honest_->ack_batch(leases);
  }
  AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker,
                                   Duration visibility, std::int32_t floor) override {
    return honest_->ack_claim(lease, worker, visibility, floor);
  }
  Settled nack(const Lease<Bytes>& lease, Duration delay) override {
    if (delay > Duration() && lies(Lie::nacks_without_parking)) delay = {};
    return honest_->nack(lease, delay);
  }
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override {
    return lies(Lie::extends_without_effect) ? Settled::done : honest_->extend(lease, visibility);
  }
  Settled release(const Lease<Bytes>& lease) override {
    return lies(Lie::counts_a_release) ? honest_->nack(lease) : honest_->release(lease);
  }
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override {
    if (!reason.empty() && lies(Lie::forgets_a_reason)) reason = {};
    return honest_->reject(lease, reason);
  }
  void close() override { honest_->close(); }
  Control<Bytes>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return honest_->clock(); }

 private:
  bool lies(Lie lie) { return lie == lie_ && left_ > 0 && --left_ == 0; }

  void suspend(std::string_view group) override {
    if (!lies(Lie::forgets_a_suspension)) honest_->control().suspend(group);
  }
  void resume(std::string_view group) override { honest_->control().resume(group); }
  std::uint64_t terminate(std::string_view group) override {
    return honest_->control().terminate(group);
  }
  Cancelled cancel(std::string_view group, Bytes&& event) override {
    if (lies(Lie::drops_a_message_in_hand)) {
      const auto dropped = honest_->control().terminate(group);
      return {dropped, honest_->publish(group, std::move(event))};
    }
    return honest_->control().cancel(group, std::move(event));
  }
  GroupInfo inspect(std::string_view group) override { return honest_->control().inspect(group); }
  std::vector<std::string> groups(const GroupQuery& query) override {
    auto ids = honest_->control().groups(query);
    if (!ids.empty() && lies(Lie::skips_a_group)) ids.pop_back();
    return ids;
  }
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group, std::size_t limit) override {
    return honest_->control().peek(group, limit);
  }
  Stats stats() override {
    auto stats = honest_->control().stats();
    if (lies(Lie::miscounts)) ++stats.published;
    return stats;
  }
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after) override {
    return honest_->control().dead_letters(limit, after);
  }
  std::uint64_t redrive(std::uint64_t seq) override { return honest_->control().redrive(seq); }
  void drop_dead(std::uint64_t seq) override { honest_->control().drop_dead(seq); }

  std::unique_ptr<Transport<Bytes>> honest_;
  Lie lie_;
  std::uint64_t left_;
};

}  // namespace

std::string_view to_string(Lie lie) noexcept {
  static constexpr std::string_view names[] = {"withholds_a_lease",
                                               "acks_without_removing",
                                               "nacks_without_parking",
                                               "extends_without_effect",
                                               "counts_a_release",
                                               "forgets_a_reason",
                                               "forgets_a_suspension",
                                               "forgets_a_priority",
                                               "turns_a_batch_around",
                                               "shortens_a_visibility",
                                               "ignores_a_floor",
                                               "drops_a_message_in_hand",
                                               "miscounts",
                                               "skips_a_group"};
  return names[static_cast<std::size_t>(lie)];
}

OpenSubject open_liar(Lie lie, std::uint64_t at) {
  return [lie, at](const QueueRules& rules) {
    auto subject = open_memory(rules);
    subject.transport = std::make_unique<Liar>(std::move(subject.transport), lie, at);
    return subject;
  };
}

}  // namespace fairlane::model
