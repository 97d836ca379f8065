// One call on a transport as a value, and what it answered: what random histories are made of.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/transport.h"

namespace fairlane::model {

enum class Verb {
  advance,
  publish,
  publish_batch,
  publish_wait,
  claim,
  claim_batch,
  claim_wait,
  ack,
  ack_batch,
  ack_claim,
  nack,
  extend,
  release,
  reject,
  suspend,
  resume,
  terminate,
  cancel,
  inspect,
  groups,
  peek,
  stats,
  dead_letters,
  redrive,
  drop_dead,
  close,
  reopen,
};

std::string_view to_string(Verb verb) noexcept;

struct NewMessage {
  std::string group;
  std::string event;
  std::int32_t priority = 0;
};

/// Leases are named by numbers that the history gives out: a claim names its lease `as`, a batch
/// its leases `as`, `as + 1` and so on.
struct Operation {
  Verb verb = Verb::stats;
  std::string group = {};
  std::string event = {};
  std::int32_t priority = 0;  ///< of a publish; of a claim: the floor
  std::string text = {};      ///< worker, reason, or `after`
  std::int64_t ms = 0;        ///< advance, visibility or delay
  std::size_t count = 0;      ///< of a batch, or the limit of a listing
  std::uint64_t as = 0;
  std::vector<std::uint64_t> leases = {};
  std::uint64_t seq = 0;
  bool flag = false;  ///< list the suspended groups; `text` holds an `after`
  std::vector<NewMessage> messages = {};
};

struct LeaseView {
  std::uint64_t seq = 0;
  std::string group;
  std::string event;
  std::uint32_t attempt = 0;
  Instant expires_at{};
  friend bool operator==(const LeaseView&, const LeaseView&) = default;
};

struct GroupView {
  GroupState state = GroupState::absent;
  bool suspended = false;
  std::uint64_t messages = 0;
  std::int32_t priority = 0;
  Instant last_claimed_at{};
  std::optional<Instant> until = std::nullopt;
  std::optional<std::string> worker = std::nullopt;
  std::optional<std::uint32_t> attempt = std::nullopt;
  friend bool operator==(const GroupView&, const GroupView&) = default;
};

struct MessageView {
  std::uint64_t seq = 0;
  std::string event;
  std::uint32_t attempts = 0;
  friend bool operator==(const MessageView&, const MessageView&) = default;
};

struct DeadView {
  std::uint64_t seq = 0;
  std::string group;
  std::string event;
  std::uint32_t attempts = 0;
  std::int32_t priority = 0;
  std::string worker;
  std::string reason;
  friend bool operator==(const DeadView&, const DeadView&) = default;
};

/// Everything that any call may answer; what the call does not answer stays empty.
struct Outcome {
  std::string error = {};
  std::vector<std::uint64_t> seqs = {};
  std::vector<LeaseView> leases = {};
  std::vector<Settled> settled = {};
  std::uint64_t dropped = 0;
  std::optional<GroupView> group = std::nullopt;
  std::vector<std::string> groups = {};
  std::vector<MessageView> messages = {};
  std::vector<DeadView> dead = {};
  std::optional<Stats> stats = std::nullopt;
};

bool operator==(const Outcome& left, const Outcome& right);

/// The members of `Stats` in their order; the age in milliseconds.
std::array<std::uint64_t, 18> numbers(const Stats& stats);

/// Whether what the store holds adds up (I4). Only over one opening: totals start anew with each.
bool adds_up(const Stats& stats);

std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

/// The operations as a trace that `fairlane replay` runs.
std::string to_trace(const QueueRules& rules, const std::vector<Operation>& operations);

}  // namespace fairlane::model
