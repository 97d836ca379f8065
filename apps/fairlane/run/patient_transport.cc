#include "run/patient_transport.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <type_traits>
#include <utility>

#include "fairlane/error.h"

namespace fairlane::run {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_pause{20};
constexpr milliseconds longest_pause{1000};

/// False if the run ended meanwhile.
bool sleep_unless(const std::stop_token& ending, milliseconds pause) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, ending, pause, [] { return false; });
  return !ending.stop_requested();
}

}  // namespace

PatientTransport::PatientTransport(std::unique_ptr<Transport<Bytes>> inner, std::stop_token ending,
                                   Say say)
    : inner_(std::move(inner)), ending_(std::move(ending)), say_(std::move(say)) {}

template <class Call>
auto PatientTransport::insist(Again again, Call call) {
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    try {
      if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return is_back();
      } else {
        auto answer = call();
        is_back();
        return answer;
      }
    } catch (const TransportError& error) {
      const bool unknown = error.code() == ErrorCode::outcome_unknown;
      if (error.code() != ErrorCode::unavailable && !unknown) throw;
      if (unknown && again == Again::unavailable) throw;
      is_away(error.what());
      if (!sleep_unless(ending_, pause)) throw;
    }
  }
}

void PatientTransport::is_away(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(away_, true)) say_("the transport is away, trying again: " + why);
}

void PatientTransport::is_back() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(away_, false)) say_("the transport is back");
}

std::uint64_t PatientTransport::publish(std::string_view group_id, Bytes&& event,
                                        std::int32_t priority) {
  return insist(Again::unavailable,
                [&] { return inner_->publish(group_id, std::move(event), priority); });
}
std::vector<std::uint64_t> PatientTransport::publish_batch(std::span<Publication<Bytes>> messages) {
  return insist(Again::unavailable, [&] { return inner_->publish_batch(messages); });
}
std::optional<std::uint64_t> PatientTransport::publish_wait(std::string_view group_id,
                                                            Bytes&& event, std::int32_t priority,
                                                            Duration timeout,
                                                            std::stop_token stop) {
  return insist(Again::unavailable, [&] {
    return inner_->publish_wait(group_id, std::move(event), priority, timeout, stop);
  });
}
std::optional<Lease<Bytes>> PatientTransport::claim(std::string_view worker_id, Duration visibility,
                                                    std::int32_t min_priority) {
  return insist(Again::unknown_too,
                [&] { return inner_->claim(worker_id, visibility, min_priority); });
}
std::vector<Lease<Bytes>> PatientTransport::claim_batch(std::size_t n, std::string_view worker_id,
                                                        Duration visibility,
                                                        std::int32_t min_priority) {
  return insist(Again::unknown_too,
                [&] { return inner_->claim_batch(n, worker_id, visibility, min_priority); });
}
std::optional<Lease<Bytes>> PatientTransport::claim_wait(std::string_view worker_id,
                                                         Duration visibility,
                                                         std::int32_t min_priority,
                                                         Duration timeout, std::stop_token stop) {
  return insist(Again::unknown_too, [&] {
    return inner_->claim_wait(worker_id, visibility, min_priority, timeout, stop);
  });
}
Settled PatientTransport::ack(const Lease<Bytes>& lease) {
  return insist(Again::unknown_too, [&] { return inner_->ack(lease); });
}
std::vector<Settled> PatientTransport::ack_batch(std::span<const Lease<Bytes>> leases) {
  return insist(Again::unknown_too, [&] { return inner_->ack_batch(leases); });
}
AckedAndClaimed<Bytes> PatientTransport::ack_claim(const Lease<Bytes>& lease,
                                                   std::string_view worker_id, Duration visibility,
                                                   std::int32_t min_priority) {
  return insist(Again::unknown_too,
                [&] { return inner_->ack_claim(lease, worker_id, visibility, min_priority); });
}
Settled PatientTransport::nack(const Lease<Bytes>& lease, Duration delay) {
  return insist(Again::unknown_too, [&] { return inner_->nack(lease, delay); });
}
Settled PatientTransport::extend(const Lease<Bytes>& lease, Duration visibility) {
  // Who extends has a beat of his own, and more leases to look after.
  return inner_->extend(lease, visibility);
}
Settled PatientTransport::release(const Lease<Bytes>& lease) {
  return insist(Again::unknown_too, [&] { return inner_->release(lease); });
}
Settled PatientTransport::reject(const Lease<Bytes>& lease, std::string_view reason) {
  return insist(Again::unknown_too, [&] { return inner_->reject(lease, reason); });
}

// Doing these twice does what once does.
void PatientTransport::suspend(std::string_view group_id) {
  insist(Again::unknown_too, [&] { inner_->control().suspend(group_id); });
}
void PatientTransport::resume(std::string_view group_id) {
  insist(Again::unknown_too, [&] { inner_->control().resume(group_id); });
}
GroupInfo PatientTransport::inspect(std::string_view group_id) {
  return insist(Again::unknown_too, [&] { return inner_->control().inspect(group_id); });
}
std::vector<std::string> PatientTransport::groups(const GroupQuery& query) {
  return insist(Again::unknown_too, [&] { return inner_->control().groups(query); });
}
std::vector<QueuedMessage<Bytes>> PatientTransport::peek(std::string_view group_id,
                                                         std::size_t limit) {
  return insist(Again::unknown_too, [&] { return inner_->control().peek(group_id, limit); });
}
Stats PatientTransport::stats() {
  return insist(Again::unknown_too, [&] { return inner_->control().stats(); });
}
std::vector<DeadLetter<Bytes>> PatientTransport::dead_letters(std::size_t limit,
                                                              std::uint64_t after_seq) {
  return insist(Again::unknown_too,
                [&] { return inner_->control().dead_letters(limit, after_seq); });
}

// And these do not.
std::uint64_t PatientTransport::terminate(std::string_view group_id) {
  return insist(Again::unavailable, [&] { return inner_->control().terminate(group_id); });
}
Cancelled PatientTransport::cancel(std::string_view group_id, Bytes&& event) {
  return insist(Again::unavailable,
                [&] { return inner_->control().cancel(group_id, std::move(event)); });
}
std::uint64_t PatientTransport::redrive(std::uint64_t seq) {
  return insist(Again::unavailable, [&] { return inner_->control().redrive(seq); });
}
void PatientTransport::drop_dead(std::uint64_t seq) {
  insist(Again::unavailable, [&] { inner_->control().drop_dead(seq); });
}

}  // namespace fairlane::run
