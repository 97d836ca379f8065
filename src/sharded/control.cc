#include "sharded/control.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fairlane/detail/arguments.h"

namespace fairlane::sharded {

namespace {

using detail::check_group_id;

void add(Stats& to, const Stats& more) noexcept {
  for (const auto count :
       {&Stats::groups, &Stats::ready, &Stats::waiting, &Stats::leased, &Stats::parked,
        &Stats::suspended, &Stats::dead, &Stats::published, &Stats::claims, &Stats::redelivered,
        &Stats::acked, &Stats::nacks, &Stats::released, &Stats::stale, &Stats::dropped,
        &Stats::dead_lettered, &Stats::redriven}) {
    to.*count += more.*count;
  }
  to.oldest_age = std::max(to.oldest_age, more.oldest_age);
}

[[noreturn]] void throw_not_found(std::uint64_t seq) {
  throw TransportError(ErrorCode::not_found, "no dead letter has seq " + std::to_string(seq));
}

}  // namespace

void ShardedControl::suspend(std::string_view group_id) {
  check_group_id(group_id);
  shards_.of(group_id).control([&](auto& control) { control.suspend(group_id); });
}

void ShardedControl::resume(std::string_view group_id) {
  check_group_id(group_id);
  shards_.of(group_id).control([&](auto& control) { control.resume(group_id); });
}

std::uint64_t ShardedControl::terminate(std::string_view group_id) {
  check_group_id(group_id);
  return shards_.of(group_id).control([&](auto& control) { return control.terminate(group_id); });
}

Cancelled ShardedControl::cancel(std::string_view group_id, Bytes&& event) {
  check_group_id(group_id);
  Shard& shard = shards_.of(group_id);
  auto cancelled =
      shard.control([&](auto& control) { return control.cancel(group_id, std::move(event)); });
  cancelled.seq = shard.outward(cancelled.seq);
  return cancelled;
}

GroupInfo ShardedControl::inspect(std::string_view group_id) {
  check_group_id(group_id);
  return shards_.of(group_id).control([&](auto& control) { return control.inspect(group_id); });
}

std::vector<std::string> ShardedControl::groups(const GroupQuery& query) {
  std::vector<std::string> page;
  for (const auto& shard : shards_.all()) {
    auto own = shard->control([&](auto& control) { return control.groups(query); });
    std::vector<std::string> both;
    std::merge(std::move_iterator(page.begin()), std::move_iterator(page.end()),
               std::move_iterator(own.begin()), std::move_iterator(own.end()),
               std::back_inserter(both));
    if (both.size() > query.limit) both.resize(query.limit);
    page = std::move(both);
  }
  return page;
}

std::vector<QueuedMessage<Bytes>> ShardedControl::peek(std::string_view group_id,
                                                       std::size_t limit) {
  check_group_id(group_id);
  Shard& shard = shards_.of(group_id);
  auto messages = shard.control([&](auto& control) { return control.peek(group_id, limit); });
  for (auto& message : messages) message.seq = shard.outward(message.seq);
  return messages;
}

Stats ShardedControl::stats() {
  Stats sum;
  for (const auto& shard : shards_.all()) {
    add(sum, shard->control([](auto& control) { return control.stats(); }));
  }
  return sum;
}

// In order of seq is in order of shards.
std::vector<DeadLetter<Bytes>> ShardedControl::dead_letters(std::size_t limit,
                                                            std::uint64_t after_seq) {
  std::vector<DeadLetter<Bytes>> page;
  const std::uint64_t after_number = after_seq / seqs_of_a_shard;
  for (const auto& shard : shards_.all()) {
    if (shard->number() < after_number || page.size() >= limit) continue;
    const std::uint64_t after = shard->number() == after_number ? after_seq % seqs_of_a_shard : 0;
    auto letters = shard->control(
        [&](auto& control) { return control.dead_letters(limit - page.size(), after); });
    for (auto& letter : letters) {
      letter.seq = shard->outward(letter.seq);
      page.push_back(std::move(letter));
    }
  }
  return page;
}

Shard& ShardedControl::shard_of_dead(std::uint64_t seq) const {
  Shard* const shard = shards_.find(seq / seqs_of_a_shard);
  if (shard == nullptr || seq % seqs_of_a_shard == 0) throw_not_found(seq);
  return *shard;
}

std::uint64_t ShardedControl::redrive(std::uint64_t seq) {
  Shard& shard = shard_of_dead(seq);
  const std::uint64_t own_seq = seq % seqs_of_a_shard;
  const auto letters =
      shard.control([&](auto& control) { return control.dead_letters(1, own_seq - 1); });
  if (letters.empty() || letters.front().seq != own_seq) throw_not_found(seq);
  const Shard& home = shards_.of(letters.front().group_id);
  if (&home != &shard) {
    throw TransportError(ErrorCode::incompatible,
                         "the dead letter of seq " + std::to_string(seq) +
                             " died on another shard than " + std::to_string(home.number()) +
                             ", where its group belongs now: publish its event, then drop it");
  }
  return shard.outward(shard.control([&](auto& control) { return control.redrive(own_seq); }));
}

void ShardedControl::drop_dead(std::uint64_t seq) {
  shard_of_dead(seq).control([&](auto& control) { control.drop_dead(seq % seqs_of_a_shard); });
}

}  // namespace fairlane::sharded
