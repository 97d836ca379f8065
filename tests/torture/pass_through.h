// A transport that does what another does; lies derive from it.
#pragma once

#include <utility>

#include "fairlane/transport.h"

namespace fairlane::torture {

class PassThrough : public Transport<Bytes> {
 public:
  explicit PassThrough(Transport<Bytes>& store) : store_(store) {}

  using Transport<Bytes>::publish;
  std::uint64_t publish(std::string_view group, Bytes&& event, std::int32_t priority) override {
    return store_.publish(group, std::move(event), priority);
  }
  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override {
    return store_.publish_batch(messages);
  }
  std::optional<std::uint64_t> publish_wait(std::string_view group, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override {
    return store_.publish_wait(group, std::move(event), priority, timeout, std::move(stop));
  }
  std::optional<Lease<Bytes>> claim(std::string_view worker, Duration visibility,
                                    std::int32_t floor) override {
    return store_.claim(worker, visibility, floor);
  }
  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker, Duration visibility,
                                        std::int32_t floor) override {
    return store_.claim_batch(n, worker, visibility, floor);
  }
  std::optional<Lease<Bytes>> claim_wait(std::string_view worker, Duration visibility,
                                         std::int32_t floor, Duration timeout,
                                         std::stop_token stop) override {
    return store_.claim_wait(worker, visibility, floor, timeout, std::move(stop));
  }
  Settled ack(const Lease<Bytes>& lease) override { return store_.ack(lease); }
  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override {
    return store_.ack_batch(leases);
  }
  AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker,
                                   Duration visibility, std::int32_t floor) override {
    return store_.ack_claim(lease, worker, visibility, floor);
  }
  Settled nack(const Lease<Bytes>& lease, Duration delay) override {
    return store_.nack(lease, delay);
  }
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override {
    return store_.extend(lease, visibility);
  }
  Settled release(const Lease<Bytes>& lease) override { return store_.release(lease); }
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override {
    return store_.reject(lease, reason);
  }
  void close() override {}
  Control<Bytes>& control() override { return store_.control(); }
  const std::shared_ptr<Clock>& clock() const override { return store_.clock(); }

 protected:
  Transport<Bytes>& store() const noexcept { return store_; }
  /// Every tenth time.
  bool now() noexcept { return ++calls_ % 10 == 0; }

 private:
  Transport<Bytes>& store_;
  std::uint64_t calls_ = 0;
};

}  // namespace fairlane::torture
