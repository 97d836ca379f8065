#include "sharded/shards.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "fairlane/sharded_transport.h"

namespace fairlane::sharded {

namespace {

std::vector<std::uint32_t> numbers_of(const std::vector<std::unique_ptr<Shard>>& shards) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(shards.size());
  for (const auto& shard : shards) numbers.push_back(shard->number());
  return numbers;
}

}  // namespace

Shards::Shards(std::vector<std::unique_ptr<Shard>> shards, Duration retry_interval)
    : shards_(std::move(shards)), numbers_(numbers_of(shards_)), retry_interval_(retry_interval) {}

Shard* Shards::find(std::uint64_t number) const noexcept {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (found == numbers_.end() || *found != number) return nullptr;
  return shards_[static_cast<std::size_t>(found - numbers_.begin())].get();
}

Shard& Shards::of(std::string_view group_id) const { return *find(shard_of(group_id, numbers_)); }

template <class Call>
auto Shards::ask(Shard& shard, Call&& call) {
  try {
    auto answer = shard.ask(call);
    shard.answered();
    return answer;
  } catch (const TransportError& error) {
    if (error.code() != ErrorCode::incompatible) note_failure(shard);
    throw;
  }
}

std::vector<Lease<Bytes>> Shards::outward(Shard& shard, const std::vector<Lease<Bytes>>& leases) {
  std::vector<Lease<Bytes>> own;
  own.reserve(leases.size());
  const Lease<Bytes>* stray = nullptr;
  for (const auto& lease : leases) {
    auto renamed = shard.outward(lease);
    if (&of(lease.group_id()) == &shard) {
      own.push_back(std::move(renamed));
    } else {
      give_back(renamed);
      stray = &lease;
    }
  }
  if (stray == nullptr || !own.empty()) return own;
  throw TransportError(
      ErrorCode::incompatible,
      "shard " + std::to_string(shard.number()) + " holds a message of the group \"" +
          std::string(stray->group_id()) + "\", which belongs on shard " +
          std::to_string(of(stray->group_id()).number()) +
          ": it was filled with other shards beside it, and has to be drained with those");
}

std::optional<Lease<Bytes>> Shards::outward(Shard& shard,
                                            const std::optional<Lease<Bytes>>& lease) {
  if (!lease) return std::nullopt;
  return outward(shard, std::vector{*lease}).front();
}

std::optional<Lease<Bytes>> Shards::claim_at(Shard& shard, const Wish& wish) {
  return outward(shard, ask(shard, [&](Transport<Bytes>& transport) {
                   return transport.claim(wish.worker_id, wish.visibility, wish.min_priority);
                 }));
}

std::vector<Lease<Bytes>> Shards::claim_batch_at(Shard& shard, std::size_t n, const Wish& wish) {
  return outward(shard, ask(shard, [&](Transport<Bytes>& transport) {
                   return transport.claim_batch(n, wish.worker_id, wish.visibility,
                                                wish.min_priority);
                 }));
}

std::optional<Lease<Bytes>> Shards::claim_wait_at(Shard& shard, const Wish& wish, Duration timeout,
                                                  std::stop_token stop) {
  return outward(shard, ask(shard, [&](Transport<Bytes>& transport) {
                   return transport.claim_wait(wish.worker_id, wish.visibility, wish.min_priority,
                                               timeout, std::move(stop));
                 }));
}

AckedAndClaimed<Bytes> Shards::ack_claim_at(Shard& shard, const Lease<Bytes>& lease,
                                            const Wish& wish) {
  const auto both = ask(shard, [&](Transport<Bytes>& transport) {
    return transport.ack_claim(lease, wish.worker_id, wish.visibility, wish.min_priority);
  });
  AckedAndClaimed<Bytes> answer{both.settled, std::nullopt};
  try {
    answer.lease = outward(shard, both.lease);
  } catch (const TransportError&) {
    // A stray group. The ack has happened, and no error may hide that; the next claim will tell.
  }
  return answer;
}

bool Shards::is_left_alone(const Shard& shard) const {
  return shard.is_failing() && clock()->now() < shard.retry_at();
}

bool Shards::take_from(Shard& shard, std::size_t n, const Wish& wish, Round& round) {
  try {
    const std::size_t before = round.leases.size();
    if (n == 1) {
      if (auto lease = claim_at(shard, wish)) round.leases.push_back(*std::move(lease));
    } else {
      auto more = claim_batch_at(shard, n - before, wish);
      std::move(more.begin(), more.end(), std::back_inserter(round.leases));
    }
    round.answered = true;
    if (round.leases.size() > before) begin_behind(shard);
    return round.leases.size() >= n;
  } catch (const TransportError& error) {
    if (error.code() == ErrorCode::incompatible && round.leases.empty()) throw;
    if (!round.failure) round.failure = std::current_exception();
    return false;
  }
}

std::vector<Lease<Bytes>> Shards::claim_round(std::size_t n, const Wish& wish) {
  Round round;
  std::vector<Shard*> left_alone;
  const std::size_t first = next_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < size(); ++i) {
    Shard& shard = *shards_[(first + i) % size()];
    if (is_left_alone(shard)) {
      left_alone.push_back(&shard);
    } else if (take_from(shard, n, wish, round)) {
      return round.leases;
    }
  }
  for (Shard* const shard : left_alone) {
    if (round.answered) break;
    take_from(*shard, n, wish, round);
  }
  if (!round.answered) std::rethrow_exception(round.failure);
  return round.leases;
}

std::optional<Lease<Bytes>> Shards::claim_round(const Wish& wish) {
  auto leases = claim_round(1, wish);
  if (leases.empty()) return std::nullopt;
  return std::move(leases.front());
}

void Shards::begin_behind(const Shard& shard) noexcept {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), shard.number());
  const auto behind = static_cast<std::size_t>(at - numbers_.begin()) + 1;
  next_.store(behind % size(), std::memory_order_relaxed);
}

void Shards::give_back(const Lease<Bytes>& lease) noexcept {
  try {
    Shard& shard = *find(lease.seq() / seqs_of_a_shard);
    const auto inner = shard.inward(lease);
    static_cast<void>(
        shard.ask([&](Transport<Bytes>& transport) { return transport.release(inner); }));
  } catch (const std::exception&) {
    // It runs out by itself.
  }
}

void Shards::note_failure(Shard& shard) {
  shard.failed(saturating_add(clock()->now(), retry_interval_));
}

bool Shards::all_fail() const noexcept {
  return std::all_of(shards_.begin(), shards_.end(),
                     [](const auto& shard) { return shard->is_failing(); });
}

}  // namespace fairlane::sharded
