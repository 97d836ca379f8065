// What the processes of a queue tell each other: one connection that listens and notifies.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "postgres/connection.h"
#include "remote/backend.h"
#include "remote/backoff.h"

namespace fairlane::postgres {

/// What a thread polls to be woken.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  int get() const noexcept { return handle_; }

 private:
  int handle_;
};

/// A thread with a connection of its own, both made when they are first needed.
///
/// What calls changed is gathered while the connection is busy, and for a moment after: so many
/// calls cost few messages, and a single one is told at once.
///
/// Threads: any; the listener is called by the thread.
class Messenger {
 public:
  using Connect = std::function<std::unique_ptr<Connection>()>;

  /// `connect` raises `unavailable` when it cannot.
  Messenger(std::int32_t queue, Connect connect);
  ~Messenger() { close(); }
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  /// From its return on the listener is told; returns by which number others know the connection.
  /// Errors: `unavailable` if it cannot connect, `closed`.
  std::int32_t listen(remote::Listener& listener);
  /// Returns at once.
  void tell(const remote::Effect& effect) noexcept;
  /// Tells what is left to tell, then ends.
  void close() noexcept;

 private:
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds gathering{1};

  struct News {
    std::int32_t claimable = std::numeric_limits<std::int32_t>::min();
    bool is_claimable = false;
    bool room = false;
    bool ends_soon = false;
    bool is_empty() const noexcept { return !is_claimable && !room && !ends_soon; }
    void add(const remote::Effect& effect) noexcept;
  };

  /// What the thread does next.
  struct Task {
    bool is_over = false;
    bool connects = false;
    bool listens = false;
    News news = {};
  };

  void start();
  void wake() noexcept;

  // The thread.
  void run() noexcept;
  Task next_task();
  void connect();
  void listen_now();
  void lose_connection(bool while_connecting, const std::string& why);
  void read();
  void pass_on(std::string_view text);
  void send(const News& news);
  /// Until something comes, or it is time to tell or to connect.
  void sleep();

  const std::int32_t queue_;
  const Connect connect_;
  const Event event_;  // Raised to wake the thread.

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool closing_ = false;
  bool wants_to_listen_ = false;
  remote::Listener* listener_ = nullptr;
  std::int32_t listens_as_ = 0;  // 0: it does not.
  std::uint64_t failures_ = 0;   // Attempts to connect that were in vain.
  std::string fault_;            // Of the last of them.
  bool was_in_vain_ = false;
  remote::Backoff backoff_;
  SteadyClock::time_point next_news_{};
  News news_;

  // Of the thread alone.
  std::unique_ptr<Connection> connection_;
  bool has_listened_ = false;
};

}  // namespace fairlane::postgres
