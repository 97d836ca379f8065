// Several stores behind one transport: the way past one server.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/open.h"
#include "fairlane/transport.h"

namespace fairlane {

/// One store of several.
struct ShardOptions {
  /// 0 to 999: what names the shard for ever. It decides which groups are kept there, and stands in
  /// every seq, so it moves with the store and is never given to another.
  std::uint32_t number = 0;
  /// An opened transport, owned from now on. Null: `url` is opened.
  std::unique_ptr<Transport<Bytes>> transport = nullptr;
  std::string url = {};
};

/// How to open several stores as one queue.
struct ShardedOptions {
  /// In any order. Every process that uses the queue has to name the same.
  std::vector<ShardOptions> shards = {};
  /// For the shards that are given by their URL.
  OpenOptions open = {};
  /// Stores a `publish_batch` that spans several shards by one batch for each, instead of refusing
  /// it. If one fails after another was stored, that is `outcome_unknown`.
  bool split_batches = false;
  /// How long claims leave a shard alone that failed.
  Duration retry_interval = std::chrono::seconds(1);
};

/// Opens the shards. Each group is kept by one of them, chosen by `shard_of`.
///
/// Threads:    as Transport. A `claim_wait` that finds nothing begins one thread for each shard,
///             which all waiters share and which end with `close`.
/// Atomicity:  each call that names one group or one lease is atomic, as on its shard. What spans
///             shards is not: a claim asks one after the other, `ack_batch` is one batch for each,
///             `ack_claim` may be an ack and a later claim, listings and `stats` are one for each.
/// Order:      within a group all the contract says. Rotation and limits are each shard's own;
/// claims
///             go round the shards.
/// Seq:        the shard's own, and in front of the last 15 digits the shard's number: 42 on shard
///             3 is 3000000000000042.
/// Errors:     a shard's, with its number in the text. A claim raises what a shard raises only if
///             all fail; but `incompatible` for a group on a shard that is not its own, always.
///             `std::invalid_argument` for no shard, a number past 999 or given twice, a shard
///             that is sharded itself.
/// Time:       `clock` is that of the shard with the lowest number; each lease's expiry is by its
///             shard's.
/// Lifetime:   owns the shards; as Transport.
std::unique_ptr<Transport<Bytes>> open_sharded(ShardedOptions options);

/// The shard that keeps a group: of these numbers, at least one, the one whose XXH64 of `group_id`
/// with the number as its seed is the largest. The same in every release.
std::uint32_t shard_of(std::string_view group_id, std::span<const std::uint32_t> numbers);

/// Makes `open` know `sharded:?NUMBER=URL&NUMBER=URL..`, with `&batches=split` for `split_batches`.
/// A `%` or `&` in a URL within is written `%25`, `%26`. Call it once, before; twice is
/// fine.
void register_sharded();

}  // namespace fairlane
