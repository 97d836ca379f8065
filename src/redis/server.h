// One Redis server, asked by scripts.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "redis/channel.h"
#include "redis/scripts.h"

namespace fairlane::redis {

/// Threads: any.
class Server {
 public:
  /// `connections`: at least one; calls are spread over them.
  Server(const Address& address, std::size_t connections);

  /// Runs a script with one key, and teaches it to a server that does not know it.
  /// `arguments`: begun by `arguments_of`.
  /// Errors: what the channel raises; an error reply as `unavailable` if nothing was changed, as it
  /// is with all that a server refuses, and else as `corrupt`.
  Reply run(Script script, const Command& command, Channel::Kind kind);
  static Command command_of(Script script, std::string_view key);

  /// A command of Redis's own. The reply may be an error.
  Reply ask(const Command& command, Channel::Kind kind) { return channel().ask(command, kind); }

  void close() noexcept;

 private:
  Channel& channel() noexcept;

  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace fairlane::redis
