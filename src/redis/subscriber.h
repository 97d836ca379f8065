// Hears what other processes tell of a queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "redis/connection.h"
#include "remote/backend.h"
#include "remote/backoff.h"

namespace fairlane::redis {

/// A thread and a connection of its own, from the first `listen` on.
///
/// Threads: any.
class Subscriber {
 public:
  /// `own`: the sender whose words are passed over.
  Subscriber(Address address, std::string channel, std::string own);
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  ~Subscriber() { close(); }

  /// Returns when everything that is told from now on reaches the listener, which is told for three
  /// look intervals, or longer. Errors: `unavailable`; `closed` after `close`.
  void listen(remote::Listener& listener);

  /// No listener is called after its return. Twice is fine.
  void close() noexcept;

 private:
  using SteadyClock = std::chrono::steady_clock;

  void run();
  bool is_wanted() const noexcept { return SteadyClock::now() < wanted_until_; }
  void subscribe_and_hear();
  void hear(Connection& connection);
  void pass_on(const Reply& reply);

  const Address address_;
  const std::string channel_;
  const std::string own_;
  const int wakeup_;  // An eventfd: raised once, by close.

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  remote::Listener* listener_ = nullptr;
  SteadyClock::time_point wanted_until_{};
  // Who waits for a message waits for the next try too.
  remote::Backoff backoff_{std::chrono::milliseconds(200)};
  std::string fault_;
  unsigned tries_ = 0;
  bool subscribed_ = false;
  bool was_subscribed_ = false;
  bool closed_ = false;
};

}  // namespace fairlane::redis
