#include "redis/subscriber.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "fairlane/error.h"
#include "redis/words.h"

namespace fairlane::redis {

namespace {

int make_wakeup() {
  const int handle = ::eventfd(0, EFD_CLOEXEC);
  if (handle < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  return handle;
}

}  // namespace

Subscriber::Subscriber(Address address, std::string channel, std::string own)
    : address_(std::move(address)),
      channel_(std::move(channel)),
      own_(std::move(own)),
      wakeup_(make_wakeup()) {}

void Subscriber::listen(remote::Listener& listener) {
  std::unique_lock lock(mutex_);
  listener_ = &listener;
  wanted_until_ = SteadyClock::now() + 3 * remote::look_interval.value();
  if (closed_) throw TransportError(ErrorCode::closed, "the transport is closed");
  if (subscribed_) return;
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  const unsigned before = tries_;
  changed_.wait(lock, [&] { return closed_ || subscribed_ || tries_ != before; });
  if (closed_) throw TransportError(ErrorCode::closed, "the transport is closed");
  if (!subscribed_) throw TransportError(ErrorCode::unavailable, fault_);
}

void Subscriber::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || is_wanted(); });
      changed_.wait_until(lock, backoff_.next_try(), [&] { return closed_; });
      if (closed_) return;
    }
    std::string fault = "the connection of those who wait was lost";
    try {
      subscribe_and_hear();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    ++tries_;
    fault_ = fault;
    if (std::exchange(subscribed_, false)) {
      backoff_.succeeded();
    } else {
      backoff_.failed();
    }
    changed_.notify_all();
  }
}

void Subscriber::subscribe_and_hear() {
  Connection connection(address_);
  connection.ask({"SUBSCRIBE", channel_});
  bool missed = false;
  remote::Listener* listener = nullptr;
  {
    const std::lock_guard lock(mutex_);
    subscribed_ = true;
    backoff_.succeeded();
    missed = std::exchange(was_subscribed_, true);
    listener = listener_;
    changed_.notify_all();
  }
  if (missed) listener->on_gap();
  hear(connection);
}

void Subscriber::hear(Connection& connection) {
  std::vector<Reply> replies;
  for (;;) {
    std::array<pollfd, 2> ready{{{connection.handle(), POLLIN, 0}, {wakeup_, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::system_category(), "poll");
    }
    if (ready[1].revents != 0) return;
    const bool well = connection.receive(replies);
    for (const auto& reply : replies) pass_on(reply);
    replies.clear();
    if (!well) throw TransportError(ErrorCode::unavailable, connection.fault());
  }
}

void Subscriber::pass_on(const Reply& reply) {
  const Value told(reply.get());
  if (told.size() != 3 || told[0].bytes() != "message") return;
  const auto words = Words::read(told[2].bytes());
  if (!words || words->sender == own_) return;
  remote::Listener* listener = nullptr;
  {
    const std::lock_guard lock(mutex_);
    listener = listener_;
  }
  if (words->claimable) listener->on_claimable(*words->claimable);
  if (words->room) listener->on_room();
  if (words->short_time) listener->on_short_time();
}

void Subscriber::close() noexcept {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    ended.swap(thread_);
    changed_.notify_all();
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wakeup_, &one, sizeof one));
  if (ended.joinable()) ended.join();
  ::close(wakeup_);
}

}  // namespace fairlane::redis
