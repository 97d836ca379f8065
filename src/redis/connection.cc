#include "redis/connection.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "fairlane/error.h"

namespace fairlane::redis {

namespace {

[[noreturn]] void throw_unavailable(const std::string& where, std::string_view why) {
  throw TransportError(ErrorCode::unavailable, "Redis at " + where + ": " + std::string(why));
}

std::string reason(int error) { return std::system_category().message(error); }

/// Zero would be for ever, and is not meant.
timeval timeval_of(Duration duration) {
  using std::chrono::microseconds;
  constexpr std::int64_t million = 1'000'000;
  constexpr std::int64_t longest = million * 60 * 60 * 24 * 365;
  const auto count = std::clamp<std::int64_t>(
      std::chrono::ceil<microseconds>(duration.value()).count(), 1, longest);
  return {count / million, count % million};
}

}  // namespace

std::string Address::shown() const {
  return path.empty() ? host + ":" + std::to_string(port) : path;
}

Connection::Connection(const Address& address)
    : where_(address.shown()), buffer_(buffer_size), fault_("the server ended the connection") {
  const timeval connect = timeval_of(address.connect_timeout);
  context_.reset(address.path.empty()
                     ? redisConnectWithTimeout(address.host.c_str(), address.port, connect)
                     : redisConnectUnixWithTimeout(address.path.c_str(), connect));
  if (context_ == nullptr) throw std::bad_alloc();
  if (context_->err != 0) throw_unavailable(where_, context_->errstr);
  redisSetTimeout(context_.get(), timeval_of(address.answer_timeout));
  if (address.path.empty()) redisEnableKeepAlive(context_.get());
  if (!address.password.empty()) {
    Command auth{"AUTH"};
    if (!address.user.empty()) auth.add(address.user);
    ask(auth.add(address.password));
  }
  ask({"PING"});  // Says what it lacks: a password, or data that it still loads.
  if (address.database != 0) ask(Command{"SELECT"}.add(address.database));
}

Connection::~Connection() = default;

int Connection::handle() const noexcept { return context_->fd; }

bool Connection::is_alive() const noexcept {
  char byte = 0;
  return ::recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

std::size_t Connection::send(std::string_view bytes) noexcept {
  std::size_t gone = 0;
  while (gone < bytes.size()) {
    const auto sent = ::send(context_->fd, bytes.data() + gone, bytes.size() - gone, MSG_NOSIGNAL);
    if (sent > 0) {
      gone += static_cast<std::size_t>(sent);
    } else if (sent == 0 || errno != EINTR) {
      break;
    }
  }
  return gone;
}

void Connection::shut_down() noexcept { ::shutdown(context_->fd, SHUT_RDWR); }

bool Connection::receive(std::vector<Reply>& replies) {
  const auto received = ::recv(context_->fd, buffer_.data(), buffer_.size(), 0);
  if (received < 0 && errno == EINTR) return true;
  if (received <= 0) {
    if (received < 0) {
      const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
      fault_ = late ? "no answer came in time" : reason(errno);
    }
    return false;
  }
  redisReader* const reader = context_->reader;
  void* reply = nullptr;
  int code = redisReaderFeed(reader, buffer_.data(), static_cast<std::size_t>(received));
  while (code == REDIS_OK) {
    code = redisReaderGetReply(reader, &reply);
    if (code == REDIS_OK && reply == nullptr) return true;
    if (code == REDIS_OK) replies.emplace_back(static_cast<redisReply*>(reply));
  }
  fault_ = std::string("it does not speak as Redis does: ") + reader->errstr;
  return false;
}

Reply Connection::ask(const Command& command) {
  std::string bytes;
  command.append_to(bytes);
  std::vector<Reply> replies;
  bool well = send(bytes) == bytes.size();
  while (well && replies.empty()) well = receive(replies);
  if (replies.empty()) throw_unavailable(where_, fault_);
  if (const Value value(replies.front().get()); value.is_error()) {
    throw_unavailable(where_, value.bytes());
  }
  return std::move(replies.front());
}

}  // namespace fairlane::redis
