#include "redis/channel.h"

#include <algorithm>
#include <utility>

#include "fairlane/error.h"

namespace fairlane::redis {

namespace {

[[noreturn]] void throw_closed() {
  throw TransportError(ErrorCode::closed, "the transport is closed");
}

}  // namespace

Reply Channel::ask(const Command& command, Kind kind) {
  Call mine;
  Lock lock(mutex_);
  // Held until the call is over: it may end the connection.
  const std::shared_ptr<Line> on = line(lock);
  on->calls.push_back(&mine);
  try {
    command.append_to(on->out);
  } catch (...) {  // Without memory: it is not among those that are answered.
    on->calls.pop_back();
    throw;
  }
  mine.end = on->out.size();
  if (!on->writing) write(*on, lock);
  while (!mine.over) {
    if (on->reading) {
      mine.news.wait(lock);
    } else {
      read(*on, lock);
    }
  }
  if (!on->calls.empty() && !on->reading) on->calls.front()->news.notify_one();
  if (mine.reply == nullptr) raise(mine, kind);
  return std::move(mine.reply);
}

std::shared_ptr<Channel::Line> Channel::line(Lock& lock) {
  for (;;) {
    if (closed_) throw_closed();
    if (line_ != nullptr) {
      const bool idle = line_->calls.empty() && !line_->writing;
      if (!idle || line_->connection.is_alive()) return line_;
      line_ = nullptr;
    }
    if (!connecting_) return connect(lock);
    connected_.wait(lock, [&] { return !connecting_; });
    // Who waited for a try shares its outcome.
    if (line_ == nullptr && !closed_) throw TransportError(ErrorCode::unavailable, fault_);
  }
}

std::shared_ptr<Channel::Line> Channel::connect(Lock& lock) {
  if (backoff_.is_pausing()) throw TransportError(ErrorCode::unavailable, fault_);
  connecting_ = true;
  lock.unlock();
  std::shared_ptr<Line> made;
  std::string fault;
  try {
    made = std::make_shared<Line>(address_);
  } catch (const TransportError& error) {
    fault = error.what();
  } catch (...) {
    lock.lock();
    connecting_ = false;
    connected_.notify_all();
    throw;
  }
  lock.lock();
  connecting_ = false;
  connected_.notify_all();
  if (made == nullptr) {
    backoff_.failed();
    fault_ = fault;
    throw TransportError(ErrorCode::unavailable, fault);
  }
  backoff_.succeeded();
  if (closed_) throw_closed();
  return line_ = made;
}

void Channel::write(Line& line, Lock& lock) {
  line.writing = true;
  while (!line.out.empty() && !line.broken) {
    std::string bytes;
    bytes.swap(line.out);
    for (Call* const call : line.calls) {
      if (call->bytes == Call::Bytes::wait) call->bytes = Call::Bytes::go;
    }
    lock.unlock();
    const std::size_t gone = line.connection.send(bytes);
    const bool well = gone == bytes.size();
    lock.lock();
    note(line, gone);
    if (line.out.empty()) {  // Its memory serves the next one.
      bytes.clear();
      if (bytes.capacity() < 65536) line.out.swap(bytes);
    }
    if (!well) fail(line, "the server ended the connection");
  }
  line.writing = false;
}

/// What did not go out whole, no server carries out.
void Channel::note(Line& line, std::size_t gone) {
  for (Call* const call : line.calls) {
    if (call->bytes != Call::Bytes::go) continue;
    call->bytes = call->end <= gone ? Call::Bytes::went : Call::Bytes::wait;
  }
}

void Channel::read(Line& line, Lock& lock) {
  line.reading = true;
  std::vector<Reply> replies;
  lock.unlock();
  bool well = false;
  std::string fault;
  try {
    well = line.connection.receive(replies);
    if (!well) fault = line.connection.fault();
  } catch (const std::exception& error) {
    fault = error.what();
  }
  lock.lock();
  line.reading = false;
  for (auto& reply : replies) {
    if (line.calls.empty()) {  // Nobody asked.
      well = false;
      fault = "the server answered what nobody asked";
      break;
    }
    Call& call = *line.calls.front();
    line.calls.pop_front();
    call.reply = std::move(reply);
    call.over = true;
    call.news.notify_one();
  }
  if (!well) fail(line, fault);
}

void Channel::fail(Line& line, const std::string& fault) {
  if (line.broken) return;
  line.broken = true;
  line.connection.shut_down();
  if (line_.get() == &line) line_ = nullptr;
  for (Call* const call : line.calls) {
    call->fault = fault;
    call->over = true;
    call->news.notify_one();
  }
  line.calls.clear();
  line.out.clear();
}

void Channel::raise(const Call& call, Kind kind) const {
  const bool unknown = call.bytes != Call::Bytes::wait && kind == Kind::changes;
  throw TransportError(unknown ? ErrorCode::outcome_unknown : ErrorCode::unavailable,
                       "Redis at " + address_.shown() + ": " + call.fault);
}

void Channel::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  line_ = nullptr;  // The last call under way ends it.
  connected_.notify_all();
}

}  // namespace fairlane::redis
