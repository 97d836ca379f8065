// Stands between a transport and its server, and cuts at a place that a test names.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fairlane::test {

/// Passes bytes on, until it is told to cut.
class CuttingProxy {
 public:
  enum class Cut {
    nothing,
    request,  ///< what a client sends is thrown away, and its connection ended
    answer,   ///< what a client sends reaches the server; the answer does not come
  };

  explicit CuttingProxy(int server_port) : server_port_(server_port) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(listener_, generic(address), size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic(address), &size) != 0) {
      throw std::runtime_error("the proxy cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  ~CuttingProxy() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& each : pumps_) each.join();
    ::close(listener_);
  }

  int port() const noexcept { return port_; }
  /// The next bytes of a client's meet it, once.
  void cut(Cut what) noexcept { cut_ = what; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

  void accept() {
    for (;;) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      const int server = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address = loopback(server_port_);
      if (::connect(server, generic(address), sizeof address) == 0) {
        pumps_.emplace_back([this, client, server] { pump(client, server); });
      } else {
        ::close(client);
        ::close(server);
      }
    }
  }

  void pump(int client, int server) {
    std::array<char, 65536> bytes{};
    bool cutting = false;
    for (;;) {
      std::array<pollfd, 2> ready{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
      // Also ends with the proxy, whose listener is shut then.
      if (::poll(ready.data(), ready.size(), 100) < 0 || is_over()) break;
      if (ready[0].revents != 0) {
        const auto size = ::read(client, bytes.data(), bytes.size());
        if (size <= 0) break;
        const Cut what = cut_.exchange(Cut::nothing);
        if (what == Cut::request) break;
        cutting = cutting || what == Cut::answer;
        if (::write(server, bytes.data(), static_cast<std::size_t>(size)) != size) break;
      }
      if (ready[1].revents != 0) {
        const auto size = ::read(server, bytes.data(), bytes.size());
        if (size <= 0 || cutting) break;
        if (::write(client, bytes.data(), static_cast<std::size_t>(size)) != size) break;
      }
    }
    ::close(client);
    ::close(server);
  }

  bool is_over() const {
    int listens = 0;
    socklen_t size = sizeof listens;
    return ::getsockopt(listener_, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0;
  }

  const int server_port_;
  const int listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  int port_ = 0;
  std::atomic<Cut> cut_{Cut::nothing};
  std::thread acceptor_;
  std::vector<std::thread> pumps_;
};

}  // namespace fairlane::test
