// One connection to a queue's file: its calls take turns, and those who wait wait here.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "common/wait_line.h"
#include "fairlane/error.h"
#include "fairlane/sqlite_transport.h"
#include "sqlite/database.h"
#include "sqlite/ledger.h"
#include "sqlite/schema.h"

namespace fairlane::sqlite {

using common::Waiter;
using common::WaitLine;

/// Threads: any. No lock is held while the clock is read or sleeps.
/// Errors:  `closed` after `close`; what the database raises.
class Session {
 public:
  explicit Session(const SqliteOptions& options);

  const std::shared_ptr<Clock>& clock() const noexcept { return clock_; }
  std::uint64_t store() const noexcept { return store_; }

  /// One transaction around a verb; what it changed counts, and wakes, only once it is committed.
  template <class Verb>
  std::invoke_result_t<Verb&, Ledger&> transact(Verb verb, Asks asks = Asks::now) {
    const Instant now = clock_->now();
    const std::lock_guard lock(mutex_);
    if (open_ == nullptr) throw TransportError(ErrorCode::closed, "the transport is closed");
    Ledger& ledger = *open_->ledger;
    for (;;) {
      Transaction transaction(open_->database);
      if (!ledger.begin(now, asks)) {
        finish(transaction, ledger);
        continue;
      }
      auto result = verb(ledger);
      finish(transaction, ledger);
      return result;
    }
  }

  /// Tries until there is a result, the time is over, `stop` was requested or it was closed.
  template <class Result, class Try>
  std::optional<Result> wait(Waiter& waiter, Duration timeout, const std::stop_token& stop,
                             Try attempt) {
    if (auto result = attempt()) return result;
    const Instant deadline = saturating_add(clock_->now(), timeout);
    if (timeout == Duration() || stop.stop_requested()) return std::nullopt;
    const InLine in_line(*this, waiter);
    const std::stop_callback on_stop(stop, [&] { waiter.wakeup.raise(); });
    for (;;) {
      if (auto result = attempt()) return result;
      for (bool may_try = false; !may_try;) {
        const Instant now = clock_->now();
        std::optional<Instant> sleep_until;
        {
          const std::lock_guard lock(mutex_);
          if (stop.stop_requested() || now >= deadline) return std::nullopt;
          sleep_until = plan_sleep(waiter, now, deadline);
        }
        may_try = !sleep_until;
        if (sleep_until) clock_->sleep(waiter.wakeup, *sleep_until);
      }
    }
  }

  void close();

  /// What this session did, for a verb in its transaction.
  void add_totals(Stats& stats) const;

 private:
  /// The file, and what is prepared for it; gone once it is closed.
  struct Open {
    explicit Open(const SqliteOptions& options);
    Database database;
    QueueRecord record;
    std::optional<Ledger> ledger;
  };

  /// A waiter's place in the line.
  class InLine {
   public:
    InLine(Session& session, Waiter& waiter);
    InLine(const InLine&) = delete;
    InLine& operator=(const InLine&) = delete;
    ~InLine();

   private:
    Session& session_;
    WaitLine::Place place_;
  };

  void finish(Transaction& transaction, Ledger& ledger);
  void call_claimer(Ledger& ledger);
  /// Calls who may want what other processes have committed.
  void look_at_others();

  /// Until when to sleep; nothing: it is worth a try. Trying takes the file's one write lock, so a
  /// waiter does it only when it was called, or, if it is the watcher, when something ran out. The
  /// watcher sleeps until that, or until it is time to look at other processes' work.
  std::optional<Instant> plan_sleep(Waiter& waiter, Instant now, Instant deadline);

  const std::shared_ptr<Clock> clock_;
  const Duration poll_interval_;
  std::mutex mutex_;
  std::unique_ptr<Open> open_;
  const std::uint64_t store_;
  Stats totals_;
  WaitLine line_;
  Instant alarm_ = Instant::max();  // What the watcher sleeps for.
  std::int64_t seen_version_ = 0;
};

}  // namespace fairlane::sqlite
