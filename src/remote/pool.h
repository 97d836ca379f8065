// Connections to one server, each lent to one call at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/error.h"
#include "remote/backoff.h"

namespace fairlane::remote {

/// `Connection` has `bool is_alive() noexcept`: cheap, false once the server hung up.
///
/// Threads: any.
/// Errors:  `unavailable` from `lend` if it cannot connect, and at once, with the same text, until
///          it is time to try again; `closed` after `close`.
template <class Connection>
class Pool {
 public:
  using Connect = std::function<std::unique_ptr<Connection>()>;

  /// `connect` raises `unavailable` when it cannot.
  Pool(std::size_t most, Connect connect) : most_(most), connect_(std::move(connect)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { close(); }

  /// A connection for one call. Back to the pool it goes, unless it was discarded.
  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<Connection> connection) noexcept
        : pool_(pool), connection_(std::move(connection)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { pool_.take_back(std::move(connection_)); }

    Connection& operator*() const noexcept { return *connection_; }
    Connection* operator->() const noexcept { return connection_.get(); }
    /// It broke: the next call gets another one.
    void discard() noexcept { connection_ = nullptr; }

   private:
    Pool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  /// Waits while all connections are lent.
  Loan lend() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return closed_ || lent_ < most_; });
    if (closed_) throw TransportError(ErrorCode::closed, "the transport is closed");
    ++lent_;
    try {
      return Loan(*this, take(lock));
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      --lent_;
      returned_.notify_one();
      throw;
    }
  }

  /// Ends the idle ones; those that are lent end when they come back.
  void close() noexcept {
    std::vector<std::unique_ptr<Connection>> ended;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ended.swap(idle_);
    returned_.notify_all();
  }

 private:
  /// One that is idle, the last used first, or a new one; with the lock released while it connects.
  std::unique_ptr<Connection> take(std::unique_lock<std::mutex>& lock) {
    while (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->is_alive()) return connection;
    }
    if (backoff_.is_pausing()) throw TransportError(ErrorCode::unavailable, fault_);
    lock.unlock();
    try {
      auto connection = connect_();
      lock.lock();
      backoff_.succeeded();
      return connection;
    } catch (const TransportError& error) {
      lock.lock();
      fault_ = error.what();
      backoff_.failed();
      throw;
    }
  }

  void take_back(std::unique_ptr<Connection> connection) noexcept {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (connection != nullptr && !closed_) idle_.push_back(std::move(connection));
    returned_.notify_one();
  }

  const std::size_t most_;
  const Connect connect_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t lent_ = 0;
  bool closed_ = false;
  Backoff backoff_;
  std::string fault_;
};

}  // namespace fairlane::remote
