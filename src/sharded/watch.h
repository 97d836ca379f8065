// Those who wait for a claim from any of several shards.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "sharded/shards.h"

namespace fairlane::sharded {

/// One thread for each shard, the *watchers*, wait there on behalf of whoever waits here.
///
/// Those who wait stand in a line. All watchers claim for one *wish* (worker, visibility, floor) at
/// a time: that of the first in line with the lowest floor, who could take whatever any other
/// could. A lease goes to the first in line with that wish. If nobody with it is left, the wish is
/// over: the watchers are stopped, and begin anew for the next one; a lease that one of them was
/// given meanwhile is released at once. So a lease is returned or released by exactly one thread,
/// nobody polls, and there are as many threads as shards however many wait.
///
/// The threads begin with the first wait, sleep while nobody waits, and end with `close`.
/// Threads: any.
class Watch {
 public:
  explicit Watch(Shards& shards) : shards_(shards) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { close(); }

  /// Nothing at the deadline, when `stop` was requested, or once it is closed.
  /// Errors: a shard's, if all fail; `incompatible`.
  std::optional<Lease<Bytes>> wait(const Wish& wish, Instant deadline, const std::stop_token& stop);

  /// Ends all waiting and returns when no watcher is left.
  void close();
  bool is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  /// A watcher's error for a waiter, who raises one of its own.
  struct Failure {
    ErrorCode code;
    std::string what;
    bool may_be_stored;
  };

  struct Waiter {
    const Wish& wish;
    Wakeup wakeup = {};
    bool served = false;  ///< and so no longer in the line
    std::optional<Lease<Bytes>> lease = std::nullopt;
    std::optional<Failure> failure = std::nullopt;
  };

  /// What the watchers claim for; kept by each of them, so it outlives the waiter who had the wish.
  struct Round {
    explicit Round(const Wish& of)
        : worker_id(of.worker_id), wish{worker_id, of.visibility, of.min_priority} {}
    const std::string worker_id;
    const Wish wish;
    std::stop_source stop = {};
  };
  using Over = std::shared_ptr<Round>;  // To be stopped when the lock is released.

  class InLine;

  void join(Waiter& waiter);
  void leave(Waiter& waiter);

  void watch(Shard& shard);
  void claim_for(Shard& shard, Round& round);
  bool may_ask(const Shard& shard, const std::stop_token& stop);
  void deliver(const Round& round, const Lease<Bytes>& lease);
  void fail_one(const Round& round, const Failure& failure);
  void fail_everyone(const Failure& failure);
  template <class Give>
  bool serve_first_with(const Wish& wish, Give give);

  // Under the lock.
  void start_watchers();
  void serve(Waiter& waiter);
  [[nodiscard]] Over next_round();

  Shards& shards_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // There is a round, or it was closed.
  std::list<Waiter*> line_;          // Guarded by mutex_, as all below.
  std::shared_ptr<Round> round_;     // Null: nobody waits.
  bool closed_ = false;
  std::vector<std::thread> watchers_;
};

}  // namespace fairlane::sharded
