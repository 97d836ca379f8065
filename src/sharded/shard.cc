#include "sharded/shard.h"

#include <stdexcept>

namespace fairlane::sharded {

namespace {

// "sharded" in ASCII: added to the identity of a shard's store.
constexpr std::uint64_t store_mark = 0x0073686172646564;

}  // namespace

std::uint64_t Shard::outward(std::uint64_t seq) const {
  if (seq < seqs_of_a_shard) return number_ * seqs_of_a_shard + seq;
  throw TransportError(ErrorCode::incompatible,
                       "shard " + std::to_string(number_) + " has used up its seqs: " +
                           std::to_string(seq) + " has more than 15 digits",
                       true);
}

Lease<Bytes> Shard::outward(const Lease<Bytes>& lease) {
  LeaseKey key = lease.key();
  if (!knows_its_store()) store_.store(key.store, std::memory_order_relaxed);
  key.store += store_mark;
  key.seq = outward(key.seq);
  return Lease<Bytes>(key, lease.expires_at(), lease.shared_group_id(), lease.event_ref());
}

Lease<Bytes> Shard::inward(const Lease<Bytes>& lease) const {
  LeaseKey key = lease.key();
  key.store -= store_mark;
  if (key.seq / seqs_of_a_shard != number_ ||
      (knows_its_store() && key.store != store_.load(std::memory_order_relaxed))) {
    throw std::invalid_argument("the lease of seq " + std::to_string(key.seq) +
                                " was given by another store");
  }
  key.seq %= seqs_of_a_shard;
  return Lease<Bytes>(key, lease.expires_at(), lease.shared_group_id(), lease.event_ref());
}

}  // namespace fairlane::sharded
