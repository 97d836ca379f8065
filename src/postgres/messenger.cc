#include "postgres/messenger.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "fairlane/error.h"

namespace fairlane::postgres {

namespace {

constexpr Statement tell_statement{"fairlane_tell", "SELECT fairlane.call_tell($1, $2, $3, $4, $5)",
                                   true};

}  // namespace

Event::Event() : handle_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (handle_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}
Event::~Event() { ::close(handle_); }

void Messenger::News::add(const remote::Effect& effect) noexcept {
  if (effect.claimable) claimable = std::max(claimable, *effect.claimable);
  is_claimable = is_claimable || effect.claimable.has_value();
  room = room || effect.room;
  ends_soon = ends_soon || effect.ends_in < remote::look_interval;
}

Messenger::Messenger(std::int32_t queue, Connect connect)
    : queue_(queue), connect_(std::move(connect)) {}

void Messenger::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Messenger::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof(one));
}

std::int32_t Messenger::listen(remote::Listener& listener) {
  std::unique_lock lock(mutex_);
  listener_ = &listener;
  const auto failures = failures_;
  if (listens_as_ == 0 && !closing_) {
    if (backoff_.is_pausing()) throw TransportError(ErrorCode::unavailable, fault_);
    wants_to_listen_ = true;
    start();
    wake();
    changed_.wait(lock, [&] { return listens_as_ != 0 || failures_ != failures || closing_; });
  }
  if (closing_) throw TransportError(ErrorCode::closed, "the transport is closed");
  if (listens_as_ == 0) throw TransportError(ErrorCode::unavailable, fault_);
  return listens_as_;
}

void Messenger::tell(const remote::Effect& effect) noexcept {
  News news;
  news.add(effect);
  if (news.is_empty()) return;
  try {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    start();
    if (news_.is_empty()) wake();
    news_.add(effect);
  } catch (...) {
    // No thread could be made: the others look by themselves.
  }
}

void Messenger::close() noexcept {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    thread = std::move(thread_);
    changed_.notify_all();
    wake();
  }
  if (thread.joinable()) thread.join();
}

void Messenger::run() noexcept {
  for (bool is_connecting = false;;) {
    try {
      const Task task = next_task();
      if (task.is_over) return;
      is_connecting = connection_ == nullptr;
      if (task.connects && is_connecting) connect();
      if (task.listens) listen_now();
      is_connecting = false;
      if (connection_ != nullptr) read();
      if (!task.news.is_empty()) send(task.news);
      sleep();
    } catch (const std::exception& error) {
      lose_connection(is_connecting, error.what());
    } catch (const NotSent&) {
      lose_connection(is_connecting, "the connection broke");
    }
  }
}

Messenger::Task Messenger::next_task() {
  const std::lock_guard lock(mutex_);
  const auto now = SteadyClock::now();
  Task task;
  task.is_over = closing_ && (news_.is_empty() || was_in_vain_);
  if (connection_ == nullptr && backoff_.is_pausing() && !closing_) return task;
  task.listens = wants_to_listen_ && listens_as_ == 0 && !closing_;
  if (closing_ || now >= next_news_) task.news = std::exchange(news_, News());
  task.connects = task.listens || !task.news.is_empty();
  return task;
}

void Messenger::connect() {
  connection_ = connect_();
  const std::lock_guard lock(mutex_);
  backoff_.succeeded();
  was_in_vain_ = false;
}

void Messenger::listen_now() {
  connection_->run("LISTEN fairlane_" + std::to_string(queue_));
  remote::Listener* listener = nullptr;
  {
    const std::lock_guard lock(mutex_);
    listens_as_ = connection_->pid();
    if (has_listened_) listener = listener_;
    changed_.notify_all();
  }
  has_listened_ = true;
  if (listener != nullptr) listener->on_gap();
}

void Messenger::lose_connection(bool while_connecting, const std::string& why) {
  connection_ = nullptr;
  const std::lock_guard lock(mutex_);
  listens_as_ = 0;
  was_in_vain_ = while_connecting;
  if (!while_connecting) return;
  fault_ = why;
  ++failures_;
  backoff_.failed();
  changed_.notify_all();
}

void Messenger::read() {
  const bool goes_on =
      connection_->take_notifications([this](std::string_view text) { pass_on(text); });
  if (!goes_on) throw TransportError(ErrorCode::unavailable, "the connection broke");
}

void Messenger::pass_on(std::string_view text) {
  remote::Listener* listener = nullptr;
  {
    const std::lock_guard lock(mutex_);
    listener = listener_;
  }
  if (listener == nullptr || text.size() < 5) return;
  const auto space = text.find(' ');
  std::int32_t priority = 0;
  const auto* const end = text.data() + std::min(space, text.size());
  const bool is_claimable = std::from_chars(text.data(), end, priority).ec == std::errc();
  if (is_claimable) listener->on_claimable(priority);
  if (text[text.size() - 3] == '1') listener->on_room();
  if (text[text.size() - 1] == '1') listener->on_short_time();
}

void Messenger::send(const News& news) {
  std::optional<std::int32_t> claimable;
  if (news.is_claimable) claimable = news.claimable;
  connection_->execute(tell_statement, Parameters(queue_, std::int32_t{connection_->pid()},
                                                  claimable, news.room, news.ends_soon));
  const std::lock_guard lock(mutex_);
  next_news_ = SteadyClock::now() + gathering;
}

void Messenger::sleep() {
  int milliseconds = -1;
  {
    const std::lock_guard lock(mutex_);
    const auto now = SteadyClock::now();
    auto until = SteadyClock::time_point::max();
    if (!news_.is_empty() || (wants_to_listen_ && listens_as_ == 0)) {
      until = std::max(next_news_, connection_ == nullptr ? backoff_.next_try() : now);
    }
    if (closing_) until = now;
    if (until != SteadyClock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
      milliseconds = static_cast<int>(std::max<std::int64_t>(left, 0));
    }
  }
  pollfd events[] = {{event_.get(), POLLIN, 0},
                     {connection_ != nullptr ? connection_->socket() : -1, POLLIN, 0}};
  ::poll(events, 2, milliseconds);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = ::read(event_.get(), &count, sizeof(count));
}

}  // namespace fairlane::postgres
