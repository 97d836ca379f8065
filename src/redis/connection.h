// One connection to a Redis server: bytes out, replies in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/duration.h"
#include "redis/command.h"
#include "redis/reply.h"

namespace fairlane::redis {

/// Where the server is, and who asks.
struct Address {
  std::string host;
  int port = 0;
  std::string path;  ///< of a socket in the file system, instead of host and port; empty: none
  std::string user;  ///< empty: Redis's default user
  std::string password;
  int database = 0;
  Duration connect_timeout;
  Duration answer_timeout;

  /// As a message may name it.
  std::string shown() const;
};

/// Threads: one that sends and one that receives at a time.
/// Errors:  no text holds the password.
class Connection {
 public:
  /// Connects, says who asks and chooses the database. Errors: `unavailable`.
  explicit Connection(const Address& address);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Between calls: false once the server hung up, or says what nobody asked for.
  bool is_alive() const noexcept;
  /// How many bytes went out. Fewer than all: the connection is of no use any more.
  std::size_t send(std::string_view bytes) noexcept;
  /// Waits for bytes and adds the replies that are complete, perhaps none. False: the connection
  /// is of no use any more; `fault` says why.
  bool receive(std::vector<Reply>& replies);
  const std::string& fault() const noexcept { return fault_; }
  /// Wakes who sends or receives: it fails. From any thread.
  void shut_down() noexcept;
  /// For poll.
  int handle() const noexcept;

  /// A command and its reply, while nothing else is under way. Errors: `unavailable`, also for an
  /// error reply.
  Reply ask(const Command& command);

 private:
  static constexpr std::size_t buffer_size = 65536;
  struct Free {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };

  const std::string where_;
  std::unique_ptr<redisContext, Free> context_;
  std::vector<char> buffer_;
  std::string fault_;
};

}  // namespace fairlane::redis
