// A connection that many threads share: their commands go out one behind the other, and whoever
// reads hands out the replies.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "redis/connection.h"
#include "remote/backoff.h"

namespace fairlane::redis {

/// Connects by itself, and again after a loss: at once if the last try is long ago, and after
/// pauses that grow if not.
///
/// Threads: any. Calls of several threads that are under way share packets and wake-ups.
class Channel {
 public:
  explicit Channel(const Address& address) : address_(address) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() { close(); }

  /// Whether a call changes anything: then its outcome is unknown if the connection breaks.
  enum class Kind { reads, changes };

  /// Sends the command and waits for its reply, which may be an error of the server's.
  /// Errors: `unavailable` if nothing was sent, or nothing can have changed; `outcome_unknown` if
  /// it may have; `closed` after `close`.
  Reply ask(const Command& command, Kind kind);

  /// Calls under way get their reply; later ones raise `closed`. Twice is fine.
  void close() noexcept;

 private:
  /// A call under way, on its caller's stack.
  struct Call {
    Reply reply = nullptr;
    enum class Bytes { wait, go, went } bytes = Bytes::wait;
    std::size_t end = 0;  // Where they end among those that wait or go with them.
    bool over = false;
    std::string fault = {};
    std::condition_variable news = {};
  };
  /// A connection and what is under way on it.
  struct Line {
    explicit Line(const Address& address) : connection(address) {}
    Connection connection;
    std::deque<Call*> calls;  // In the order in which they go out, and are answered.
    std::string out;          // What nobody has sent yet.
    bool writing = false;
    bool reading = false;
    bool broken = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  std::shared_ptr<Line> line(Lock& lock);
  std::shared_ptr<Line> connect(Lock& lock);
  void write(Line& line, Lock& lock);
  void read(Line& line, Lock& lock);
  void fail(Line& line, const std::string& fault);
  static void note(Line& line, std::size_t gone);
  [[noreturn]] void raise(const Call& call, Kind kind) const;

  const Address address_;
  std::mutex mutex_;
  std::condition_variable connected_;
  std::shared_ptr<Line> line_;  // Null: there is none.
  bool connecting_ = false;
  bool closed_ = false;
  remote::Backoff backoff_;
  std::string fault_;
};

}  // namespace fairlane::redis
