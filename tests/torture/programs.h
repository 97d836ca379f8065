// The server that is killed and the proxy in front of it: programs of their own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlane::torture {

/// What a program prints. Throws if it does not exit with 0.
std::string output_of(const std::vector<std::string>& command);

/// A server of this run's own, made and moved by one of tests/servers. It is gone when this object
/// is, and also when this process is killed.
/// Threads: one; made while there is no other, for it forks.
class Server {
 public:
  Server(std::string script, std::string folder);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// As URLs of the transport begin; the same in each of its lives.
  const std::string& url() const noexcept { return url_; }
  void kill() const { output_of({script_, "kill", folder_}); }
  void start() const { output_of({script_, "start", folder_}); }

 private:
  void stop_if_we_die();

  const std::string script_;
  const std::string folder_;
  std::string url_;
  int guard_ = -1;  ///< As long as this end of a pipe is open, the server may run.
};

/// The program tests/torture/proxy in front of a server.
class Proxy {
 public:
  /// `url` names the server's port behind its last colon.
  Proxy(const std::string& program, std::string url, std::uint64_t seed);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  /// With the proxy's port instead of the server's.
  const std::string& url() const noexcept { return url_; }
  /// Ends it; returns what it tells of its deeds.
  std::string end();

 private:
  std::string read_line() const;

  std::string url_;
  pid_t process_ = 0;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace fairlane::torture
