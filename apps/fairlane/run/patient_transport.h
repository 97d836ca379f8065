// A transport whose server may be away for a while.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "fairlane/transport.h"

namespace fairlane::run {

/// Calls again what raised `unavailable`, after pauses that grow to a second, until it succeeds or
/// the run ends. A claim or a settle whose outcome cannot be known is called again too: a lease
/// that nobody got runs out, and a settle that did happen is `stale` the second time. A publish
/// whose outcome cannot be known is not: that would store the event twice. All other errors go
/// through.
///
/// Threads: as Transport; `say` is called from any thread, one at a time: once when the server is
///          away, once when it is back.
class PatientTransport final : public Transport<Bytes>, private Control<Bytes> {
 public:
  using Say = std::function<void(const std::string&)>;
  PatientTransport(std::unique_ptr<Transport<Bytes>> inner, std::stop_token ending, Say say);

  using Transport<Bytes>::publish;
  std::uint64_t publish(std::string_view group_id, Bytes&& event, std::int32_t priority) override;
  std::vector<std::uint64_t> publish_batch(std::span<Publication<Bytes>> messages) override;
  std::optional<std::uint64_t> publish_wait(std::string_view group_id, Bytes&& event,
                                            std::int32_t priority, Duration timeout,
                                            std::stop_token stop) override;
  std::optional<Lease<Bytes>> claim(std::string_view worker_id, Duration visibility,
                                    std::int32_t min_priority) override;
  std::vector<Lease<Bytes>> claim_batch(std::size_t n, std::string_view worker_id,
                                        Duration visibility, std::int32_t min_priority) override;
  std::optional<Lease<Bytes>> claim_wait(std::string_view worker_id, Duration visibility,
                                         std::int32_t min_priority, Duration timeout,
                                         std::stop_token stop) override;
  Settled ack(const Lease<Bytes>& lease) override;
  std::vector<Settled> ack_batch(std::span<const Lease<Bytes>> leases) override;
  AckedAndClaimed<Bytes> ack_claim(const Lease<Bytes>& lease, std::string_view worker_id,
                                   Duration visibility, std::int32_t min_priority) override;
  Settled nack(const Lease<Bytes>& lease, Duration delay) override;
  Settled extend(const Lease<Bytes>& lease, Duration visibility) override;
  Settled release(const Lease<Bytes>& lease) override;
  Settled reject(const Lease<Bytes>& lease, std::string_view reason) override;
  void close() override { inner_->close(); }
  Control<Bytes>& control() override { return *this; }
  const std::shared_ptr<Clock>& clock() const override { return inner_->clock(); }

 private:
  void suspend(std::string_view group_id) override;
  void resume(std::string_view group_id) override;
  std::uint64_t terminate(std::string_view group_id) override;
  Cancelled cancel(std::string_view group_id, Bytes&& event) override;
  GroupInfo inspect(std::string_view group_id) override;
  std::vector<std::string> groups(const GroupQuery& query) override;
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit) override;
  Stats stats() override;
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after_seq) override;
  std::uint64_t redrive(std::uint64_t seq) override;
  void drop_dead(std::uint64_t seq) override;

  enum class Again { unavailable, unknown_too };
  template <class Call>
  auto insist(Again again, Call call);
  void is_away(const std::string& why);
  void is_back();

  const std::unique_ptr<Transport<Bytes>> inner_;
  const std::stop_token ending_;
  const Say say_;
  std::mutex mutex_;
  bool away_ = false;
};

}  // namespace fairlane::run
