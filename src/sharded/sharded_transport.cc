// Each verb: judge the arguments, find the shard, ask it, name its leases and seqs outward.
#include "sharded/sharded_transport.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "fairlane/detail/arguments.h"

namespace fairlane::sharded {

namespace {

using detail::check_duration;
using detail::check_group_id;

}  // namespace

std::uint64_t ShardedTransport::publish(std::string_view group_id, Bytes&& event,
                                        std::int32_t priority) {
  check_group_id(group_id);
  Shard& shard = shards_.of(group_id);
  return shard.outward(shard.ask([&](Transport<Bytes>& transport) {
    return transport.publish(group_id, std::move(event), priority);
  }));
}

std::optional<std::uint64_t> ShardedTransport::publish_wait(std::string_view group_id,
                                                            Bytes&& event, std::int32_t priority,
                                                            Duration timeout,
                                                            std::stop_token stop) {
  check_group_id(group_id);
  check_duration(timeout, "timeout");
  Shard& shard = shards_.of(group_id);
  const auto seq = shard.ask([&](Transport<Bytes>& transport) {
    return transport.publish_wait(group_id, std::move(event), priority, timeout, std::move(stop));
  });
  if (!seq) return std::nullopt;
  return shard.outward(*seq);
}

std::vector<std::uint64_t> ShardedTransport::publish_batch(std::span<Publication<Bytes>> messages) {
  for (const auto& message : messages) check_group_id(message.group_id);
  if (messages.empty()) return {};
  Shard& shard = shards_.of(messages.front().group_id);
  const auto stray = std::find_if(messages.begin(), messages.end(), [&](const auto& message) {
    return &shards_.of(message.group_id) != &shard;
  });
  if (stray != messages.end()) {
    if (split_batches_) return publish_split(messages);
    throw std::invalid_argument(
        "the batch spans several shards and could not be stored whole: the group \"" +
        std::string(messages.front().group_id) + "\" is kept on shard " +
        std::to_string(shard.number()) + ", \"" + std::string(stray->group_id) + "\" on shard " +
        std::to_string(shards_.of(stray->group_id).number()) +
        "; publish one for each shard, or allow batches to be split");
  }
  auto seqs =
      shard.ask([&](Transport<Bytes>& transport) { return transport.publish_batch(messages); });
  for (auto& seq : seqs) seq = shard.outward(seq);
  return seqs;
}

std::vector<std::uint64_t> ShardedTransport::publish_split(std::span<Publication<Bytes>> messages) {
  std::vector<std::uint64_t> seqs(messages.size());
  bool is_any_stored = false;
  for (const auto& shard : shards_.all()) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (&shards_.of(messages[i].group_id) == shard.get()) places.push_back(i);
    }
    if (places.empty()) continue;
    try {
      publish_part(*shard, messages, places, seqs);
    } catch (const TransportError& error) {
      if (!is_any_stored) throw;
      throw TransportError(ErrorCode::outcome_unknown,
                           "a part of the batch is stored; then " + std::string(error.what()));
    }
    is_any_stored = true;
  }
  return seqs;
}

void ShardedTransport::publish_part(Shard& shard, std::span<Publication<Bytes>> messages,
                                    const std::vector<std::size_t>& places,
                                    std::vector<std::uint64_t>& seqs) {
  std::vector<Publication<Bytes>> part;
  part.reserve(places.size());
  for (const auto i : places) {
    part.push_back({messages[i].group_id, std::move(messages[i].event), messages[i].priority});
  }
  try {
    const auto stored =
        shard.ask([&](Transport<Bytes>& transport) { return transport.publish_batch(part); });
    for (std::size_t i = 0; i < places.size(); ++i) seqs[places[i]] = shard.outward(stored[i]);
  } catch (...) {
    // The events are the caller's again.
    for (std::size_t i = 0; i < places.size(); ++i) {
      messages[places[i]].event = std::move(part[i].event);
    }
    throw;
  }
}

std::optional<Lease<Bytes>> ShardedTransport::claim(std::string_view worker_id, Duration visibility,
                                                    std::int32_t min_priority) {
  check_duration(visibility, "visibility");
  return shards_.claim_round({worker_id, visibility, min_priority});
}

std::vector<Lease<Bytes>> ShardedTransport::claim_batch(std::size_t n, std::string_view worker_id,
                                                        Duration visibility,
                                                        std::int32_t min_priority) {
  check_duration(visibility, "visibility");
  return shards_.claim_round(n, {worker_id, visibility, min_priority});
}

std::optional<Lease<Bytes>> ShardedTransport::claim_wait(std::string_view worker_id,
                                                         Duration visibility,
                                                         std::int32_t min_priority,
                                                         Duration timeout, std::stop_token stop) {
  check_duration(visibility, "visibility");
  check_duration(timeout, "timeout");
  const Wish wish{worker_id, visibility, min_priority};
  if (shards_.size() == 1) {
    return shards_.claim_wait_at(*shards_.all().front(), wish, timeout, std::move(stop));
  }
  if (auto lease = shards_.claim_round(wish)) return lease;
  if (timeout == Duration() || stop.stop_requested()) return std::nullopt;
  const Instant deadline =
      timeout == Duration::max() ? Instant::max() : saturating_add(shards_.clock()->now(), timeout);
  if (auto lease = watch_.wait(wish, deadline, stop)) return lease;
  // Closed, it is for the shards to say what that means.
  if (watch_.is_closed()) return shards_.claim_round(wish);
  return std::nullopt;
}

std::pair<Shard&, Lease<Bytes>> ShardedTransport::own(const Lease<Bytes>& lease) const {
  Shard& shard = shards_.of(lease.group_id());
  return {shard, shard.inward(lease)};
}

Settled ShardedTransport::ack(const Lease<Bytes>& lease) {
  return settle(lease, [](auto& transport, auto& mine) { return transport.ack(mine); });
}

std::vector<Settled> ShardedTransport::ack_batch(std::span<const Lease<Bytes>> leases) {
  std::vector<Part> parts = parts_of(leases);
  std::vector<Settled> settled(leases.size(), Settled::stale);
  std::optional<TransportError> failure;
  std::size_t failed = 0;
  for (const auto& part : parts) {
    try {
      const auto answers = part.shard->ask(
          [&](Transport<Bytes>& transport) { return transport.ack_batch(part.leases); });
      for (std::size_t i = 0; i < answers.size(); ++i) settled[part.places[i]] = answers[i];
    } catch (const TransportError& error) {
      ++failed;
      if (!failure) failure = error;
    }
  }
  if (!failure) return settled;
  if (failed == parts.size()) throw TransportError(*failure);
  throw TransportError(ErrorCode::outcome_unknown,
                       "a part of the batch is acked; but " + std::string(failure->what()));
}

/// Shards whose store is not known yet come first: should the store refuse the lease, nothing has
/// been done.
std::vector<ShardedTransport::Part> ShardedTransport::parts_of(
    std::span<const Lease<Bytes>> leases) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < leases.size(); ++i) {
    auto [shard, lease] = own(leases[i]);
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&shard = shard](const Part& each) { return each.shard == &shard; });
    if (part == parts.end()) part = parts.insert(parts.end(), {.shard = &shard});
    part->leases.push_back(std::move(lease));
    part->places.push_back(i);
  }
  std::stable_partition(parts.begin(), parts.end(),
                        [](const Part& part) { return !part.shard->knows_its_store(); });
  return parts;
}

AckedAndClaimed<Bytes> ShardedTransport::ack_claim(const Lease<Bytes>& lease,
                                                   std::string_view worker_id, Duration visibility,
                                                   std::int32_t min_priority) {
  check_duration(visibility, "visibility");
  const Wish wish{worker_id, visibility, min_priority};
  const auto [shard, mine] = own(lease);
  AckedAndClaimed<Bytes> both{Settled::stale, std::nullopt};
  if (shards_.size() > 1 && shard.stayed_long_enough()) {
    both.settled = shard.ask([&mine = mine](auto& transport) { return transport.ack(mine); });
  } else {
    both = shards_.ack_claim_at(shard, mine, wish);
    if (both.lease || shards_.size() == 1) return both;
  }
  shards_.begin_behind(shard);
  try {
    both.lease = shards_.claim_round(wish);
  } catch (const std::exception&) {
    // The ack has happened, and no error may hide that.
  }
  return both;
}

Settled ShardedTransport::nack(const Lease<Bytes>& lease, Duration delay) {
  check_duration(delay, "delay");
  return settle(lease, [&](auto& transport, auto& mine) { return transport.nack(mine, delay); });
}

Settled ShardedTransport::extend(const Lease<Bytes>& lease, Duration visibility) {
  check_duration(visibility, "visibility");
  return settle(lease,
                [&](auto& transport, auto& mine) { return transport.extend(mine, visibility); });
}

Settled ShardedTransport::release(const Lease<Bytes>& lease) {
  return settle(lease, [](auto& transport, auto& mine) { return transport.release(mine); });
}

Settled ShardedTransport::reject(const Lease<Bytes>& lease, std::string_view reason) {
  return settle(lease, [&](auto& transport, auto& mine) { return transport.reject(mine, reason); });
}

void ShardedTransport::close() {
  watch_.close();
  std::exception_ptr failure;
  for (const auto& shard : shards_.all()) {
    try {
      shard->ask([](auto& transport) { transport.close(); });
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fairlane::sharded
