// The rules of the contract over the tables: each verb inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/clock.h"
#include "fairlane/control.h"
#include "fairlane/lease.h"
#include "fairlane/options.h"
#include "fairlane/transport.h"
#include "sqlite/database.h"

namespace fairlane::sqlite {

/// What a claim found.
struct Claimed {
  LeaseKey key;
  Instant expires_at;
  std::string group_id;
  std::string event;
};

/// What a verb changed that matters to those who wait.
struct Effect {
  bool claimable = false;          ///< a group may have become claimable
  bool room = false;               ///< a message left
  Instant alarm = Instant::max();  ///< the first lease or park that was begun ends then
};

/// What a verb's answer depends on: a publish without limits is never refused, and a lease that ran
/// out can be acked while attempts are not limited; then it does not matter what has run out.
enum class Asks { now, room, attempts };

/// Threads:   guarded by the owner, who begins a transaction, calls `begin` and then one verb, and
///            commits. `totals` and `effect` are of that transaction, and mean nothing if it is
///            rolled back.
/// Errors:    expected outcomes are values; what SQLite cannot do is a `TransportError`.
/// Cost:      each statement goes by an index; claims one for each priority in use. What ran out is
///            taken note of once, by whoever comes first, at most `lapses_at_once` in one
///            transaction.
class Ledger {
 public:
  Ledger(Database& database, std::int64_t queue, std::uint64_t store);

  /// Reads the rules and moves on to `now`, or stays where the queue is if that is earlier. False:
  /// more has run out than one transaction shall take note of; commit, and begin again.
  bool begin(Instant now, Asks asks);
  static constexpr int lapses_at_once = 500;
  /// Writes what the queue's record counts, once for all that was done. Before the commit.
  void save();

  const QueueRules& rules() const noexcept { return rules_; }
  Stats& totals() noexcept { return totals_; }
  Effect& effect() noexcept { return effect_; }

  // The verbs (ledger.cc). A publish over a limit stores nothing and returns nothing.
  std::optional<std::uint64_t> publish(std::string_view group_id, std::string_view event,
                                       std::int32_t priority);
  std::optional<Claimed> claim(std::string_view worker_id, Duration visibility,
                               std::int32_t min_priority);
  Settled ack(std::string_view group_id, std::uint64_t fence);
  Settled nack(std::string_view group_id, std::uint64_t fence, Duration delay);
  Settled extend(std::string_view group_id, std::uint64_t fence, Duration visibility);
  Settled release(std::string_view group_id, std::uint64_t fence);
  Settled reject(std::string_view group_id, std::uint64_t fence, std::string_view reason);

  // The control plane (ledger_control.cc).
  void suspend(std::string_view group_id);
  void resume(std::string_view group_id);
  std::uint64_t terminate(std::string_view group_id);
  std::optional<Cancelled> cancel(std::string_view group_id, std::string_view event);
  GroupInfo inspect(std::string_view group_id);
  std::vector<std::string> groups(const GroupQuery& query);
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit);
  void count(Stats& stats);
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after_seq);
  enum class Redriven { done, not_found, full };
  Redriven redrive(std::uint64_t seq, std::uint64_t& new_seq);
  bool drop_dead(std::uint64_t seq);

  // For those who wait.
  std::optional<std::int32_t> highest_claimable();
  std::optional<Instant> next_expiry();
  /// Changes whenever another connection commits.
  std::int64_t data_version();

 private:
  enum State { free = 0, leased = 1, parked = 2 };
  struct Group {
    std::int64_t id = 0;  // 0: there is none.
    std::string group_id = {};
    std::int32_t priority = 0;
    std::int64_t messages = 0;
    std::int64_t last_claimed_at = 0;
    std::int64_t head_seq = 0;
    std::int64_t attempts = 0;
    int state = free;
    bool suspended = false;
    std::int64_t expiry = 0;
    std::int64_t fence = 0;
    std::string worker_id = {};
  };

  /// What the queue's record counts.
  struct Counters {
    std::int64_t now = 0;  // The latest that was used.
    std::int64_t seq = 0;
    std::int64_t fence = 0;
    std::int64_t line = 0;
    std::int64_t messages = 0;  // Only while max_messages is set.
    friend bool operator==(const Counters&, const Counters&) = default;
  };

  Group read(Statement::Run row);
  Group find(std::string_view group_id);
  Group current(std::string_view group_id, std::uint64_t fence);
  Settled stale() noexcept;
  bool is_exhausted(const Group& group) const noexcept;
  bool has_room(std::uint64_t more, std::uint64_t group_messages) const noexcept;

  void lapse_exhausted(int& left);
  std::uint64_t append(const Group& group, std::string_view event);
  Group activate(std::string_view group_id, std::int32_t priority);
  void set_free(const Group& group, std::int64_t attempts);
  void set_in_flight(const Group& group, State state, Duration duration);
  void fail_exhausted(const Group& group);
  void bury(const Group& group, std::string_view reason);
  void remove_head(const Group& group);
  void forget_messages(std::uint64_t count);
  void keep_now() noexcept;

  Database& database_;
  const std::int64_t queue_;
  const std::uint64_t store_;

  // Of the transaction.
  QueueRules rules_;
  Counters counters_;
  Counters saved_;
  std::int64_t now_ = 0;
  Stats totals_;
  Effect effect_;
  std::int64_t latest_ = 0;  // The latest `now` of this object, also of what changed nothing.

  // One member for each statement, by what it does.
  Statement read_queue_, save_queue_;
  Statement has_expired_, free_expired_, find_exhausted_;
  Statement find_group_, find_current_, find_claimable_;
  Statement insert_group_, grow_group_, cut_group_, free_group_, lease_group_, fly_group_,
      advance_head_, delete_group_;
  Statement insert_message_, read_message_, delete_message_, delete_messages_, delete_followers_,
      next_message_;
  Statement is_suspended_, insert_suspended_, delete_suspended_, mark_group_;
  Statement insert_dead_, read_dead_, list_dead_, delete_dead_, count_dead_;
  Statement list_groups_, list_suspended_, list_messages_, count_groups_, oldest_message_;
  Statement next_expiry_, first_claimable_, data_version_;
};

}  // namespace fairlane::sqlite
