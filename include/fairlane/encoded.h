// A transport of your own events over a transport of bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/transport.h"

namespace fairlane {

/// How events become bytes and back. Both may throw: from `encode` it goes to the publisher, who
/// still owns the event; from `decode` the message is undecodable. Both are called from any thread,
/// several at once.
template <class C, class Event>
concept Codec = requires(const C& codec, const Event& event, std::string_view bytes) {
  { codec.encode(event) } -> std::convertible_to<Bytes>;
  { codec.decode(bytes) } -> std::convertible_to<Event>;
};

/// A transport of events that keeps them as bytes in another, such as a durable one.
///
/// A claim decodes. A message that cannot be decoded moves to the dead letters with the reason
/// "undecodable: ..", and the claim goes on with the next; in listings its event is empty.
///
/// Threads, Atomicity, Errors, Time: as the transport within, but that a claim which meets an
///             undecodable message is one claim and one reject per such message, and then a claim
///             anew. If that reject fails, so does the claim, and the message comes back when its
///             lease has run out.
///             Publishing copies the event into bytes and leaves the caller's object as it is.
/// Lifetime:   owns the transport within; as Transport.
template <class Event, class EventCodec>
requires Codec<EventCodec, Event>
class Encoded final : public Transport<Event>, private Control<Event> {
 public:
  /// Errors: `std::invalid_argument` if `bytes` is null.
  explicit Encoded(std::unique_ptr<Transport<Bytes>> bytes, EventCodec codec = {})
      : bytes_(std::move(bytes)), codec_(std::move(codec)) {
    if (bytes_ == nullptr) throw std::invalid_argument("the transport of bytes is null");
  }

  using Transport<Event>::publish;

  std::uint64_t publish(std::string_view group_id, Event&& event,
                        std::int32_t priority = 0) override {
    return bytes_->publish(group_id, encode(event), priority);
  }

  std::vector<std::uint64_t> publish_batch(std::span<Publication<Event>> messages) override {
    std::vector<Publication<Bytes>> encoded;
    encoded.reserve(messages.size());
    for (const auto& message : messages) {
      encoded.push_back({message.group_id, encode(message.event), message.priority});
    }
    return bytes_->publish_batch(encoded);
  }

  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Event&& event,
                                            std::int32_t priority = 0,
                                            Duration timeout = Duration::max(),
                                            std::stop_token stop = {}) override {
    return bytes_->publish_wait(group_id, encode(event), priority, timeout, std::move(stop));
  }

  std::optional<Lease<Event>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority = 0) override {
    for (;;) {
      const auto lease = bytes_->claim(worker_id, visibility, min_priority);
      if (!lease) return std::nullopt;
      if (auto decoded = decode_or_reject(*lease)) return decoded;
    }
  }

  /// Fewer than `n` only if there is nothing more to claim.
  std::vector<Lease<Event>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility,
                                        std::int32_t min_priority = 0) override {
    std::vector<Lease<Event>> decoded;
    while (decoded.size() < n) {
      const std::size_t wanted = n - decoded.size();
      const auto leases = bytes_->claim_batch(wanted, worker_id, visibility, min_priority);
      std::exception_ptr failure;
      for (const auto& lease : leases) {
        try {
          if (auto each = decode_or_reject(lease)) decoded.push_back(*std::move(each));
        } catch (...) {
          failure = std::current_exception();  // The other leases are the caller's all the same.
        }
      }
      if (failure && decoded.empty()) std::rethrow_exception(failure);
      if (failure || leases.size() < wanted) break;
    }
    return decoded;
  }

  std::optional<Lease<Event>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority = 0,
                                         Duration timeout = Duration::max(),
                                         std::stop_token stop = {}) override {
    const Instant deadline = timeout == Duration::max() || timeout.is_negative()
                                 ? Instant::max()
                                 : saturating_add(clock()->now(), timeout);
    for (Duration left = timeout;;) {
      const auto lease = bytes_->claim_wait(worker_id, visibility, min_priority, left, stop);
      if (!lease) return std::nullopt;
      if (auto decoded = decode_or_reject(*lease)) return decoded;
      if (deadline == Instant::max()) continue;
      const Instant now = clock()->now();
      left = now < deadline ? Duration(deadline - now) : Duration();
    }
  }

  Settled ack(const Lease<Event>& lease) override { return bytes_->ack(raw(lease)); }

  std::vector<Settled> ack_batch(std::span<const Lease<Event>> leases) override {
    std::vector<Lease<Bytes>> raws;
    raws.reserve(leases.size());
    for (const auto& lease : leases) raws.push_back(raw(lease));
    return bytes_->ack_batch(raws);
  }

  AckedAndClaimed<Event> ack_claim(const Lease<Event>& acked, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority = 0) override {
    const auto result = bytes_->ack_claim(raw(acked), worker_id, visibility, min_priority);
    AckedAndClaimed<Event> decoded{result.settled, std::nullopt};
    if (!result.lease) return decoded;
    // From here on the ack has happened, and no error may hide that.
    try {
      decoded.lease = decode_or_reject(*result.lease);
      if (!decoded.lease) decoded.lease = claim(worker_id, visibility, min_priority);
    } catch (...) {
    }
    return decoded;
  }

  Settled nack(const Lease<Event>& lease, Duration delay = {}) override {
    return bytes_->nack(raw(lease), delay);
  }
  Settled extend(const Lease<Event>& lease, Duration visibility) override {
    return bytes_->extend(raw(lease), visibility);
  }
  Settled release(const Lease<Event>& lease) override { return bytes_->release(raw(lease)); }
  Settled reject(const Lease<Event>& lease, std::string_view reason = {}) override {
    return bytes_->reject(raw(lease), reason);
  }

  void close() override { bytes_->close(); }
  Control<Event>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return bytes_->clock(); }

 private:
  Bytes encode(const Event& event) const { return codec_.encode(event); }
  /// The settles of the transport within go by the key and the group, so the event is left out.
  static Lease<Bytes> raw(const Lease<Event>& lease) {
    return Lease<Bytes>(lease.key(), lease.expires_at(), lease.shared_group_id(), {});
  }

  std::optional<Lease<Event>> decode_or_reject(const Lease<Bytes>& lease) {
    std::string reason = "undecodable";
    try {
      return Lease<Event>(lease.key(), lease.expires_at(), lease.shared_group_id(),
                          EventRef<Event>::make(codec_.decode(lease.event())));
    } catch (const std::bad_alloc&) {
      throw;  // Says nothing about the bytes.
    } catch (const std::exception& error) {
      reason += std::string(": ") + error.what();
    } catch (...) {
      reason += ": the codec threw no std::exception";
    }
    // Stale: somebody terminated the group meanwhile, and there is nothing to reject.
    static_cast<void>(bytes_->reject(lease, reason));
    return std::nullopt;
  }

  EventRef<Event> decode_or_empty(const EventRef<Bytes>& bytes) const {
    if (!bytes) return {};
    try {
      return EventRef<Event>::make(codec_.decode(*bytes));
    } catch (...) {
      return {};
    }
  }

  void suspend(std::string_view group_id) override { inner().suspend(group_id); }
  void resume(std::string_view group_id) override { inner().resume(group_id); }
  std::uint64_t terminate(std::string_view group_id) override {
    return inner().terminate(group_id);
  }
  Cancelled cancel(std::string_view group_id, Event&& event) override {
    return inner().cancel(group_id, encode(event));
  }
  GroupInfo inspect(std::string_view group_id) override { return inner().inspect(group_id); }
  std::vector<std::string> groups(const GroupQuery& query) override {
    return inner().groups(query);
  }
  std::vector<QueuedMessage<Event>> peek(std::string_view group_id, std::size_t limit) override {
    std::vector<QueuedMessage<Event>> messages;
    for (const auto& each : inner().peek(group_id, limit)) {
      messages.push_back({each.seq, decode_or_empty(each.event), each.attempts});
    }
    return messages;
  }
  Stats stats() override { return inner().stats(); }
  std::vector<DeadLetter<Event>> dead_letters(std::size_t limit, std::uint64_t after_seq) override {
    std::vector<DeadLetter<Event>> letters;
    for (auto& dead : inner().dead_letters(limit, after_seq)) {
      letters.push_back({dead.seq, std::move(dead.group_id), decode_or_empty(dead.event),
                         dead.attempts, dead.priority, std::move(dead.worker_id),
                         std::move(dead.reason)});
    }
    return letters;
  }
  std::uint64_t redrive(std::uint64_t seq) override { return inner().redrive(seq); }
  void drop_dead(std::uint64_t seq) override { inner().drop_dead(seq); }

  Control<Bytes>& inner() { return bytes_->control(); }

  const std::unique_ptr<Transport<Bytes>> bytes_;
  const EventCodec codec_;
};

}  // namespace fairlane
