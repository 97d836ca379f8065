#include "redis/server.h"

#include <algorithm>
#include <array>

#include "fairlane/error.h"

namespace fairlane::redis {

namespace {

/// What a server answers that refused to run anything, or to let a script write its first word.
constexpr std::array<std::string_view, 17> refusals = {
    "ASK",        "BUSY",       "CLUSTERDOWN", "CROSSSLOT", "ERR max number of clients",
    "LOADING",    "MASTERDOWN", "MISCONF",     "MOVED",     "NOAUTH",
    "NOPERM",     "NOREPLICAS", "OOM",         "READONLY",  "TRYAGAIN",
    "UNKILLABLE", "WRONGPASS"};

[[noreturn]] void raise(std::string_view error) {
  std::string text = "Redis: " + std::string(error);
  const auto refused = [&](std::string_view refusal) { return error.starts_with(refusal); };
  if (!std::any_of(refusals.begin(), refusals.end(), refused)) {
    throw TransportError(ErrorCode::corrupt, text, true);
  }
  if (refused("MOVED") || refused("ASK")) {
    text += "; name the node of the cluster that holds the queue's slot";
  }
  throw TransportError(ErrorCode::unavailable, text);
}

}  // namespace

Server::Server(const Address& address, std::size_t connections) {
  for (std::size_t i = 0; i < std::max<std::size_t>(connections, 1); ++i) {
    channels_.push_back(std::make_unique<Channel>(address));
  }
}

Command Server::command_of(Script script, std::string_view key) {
  return {"EVALSHA", text_of(script).identity, "1", key};
}

Reply Server::run(Script script, const Command& command, Channel::Kind kind) {
  Channel& asked = channel();
  Reply reply = asked.ask(command, kind);
  constexpr int tries = 3;  // Others may make it forget again.
  for (int i = 0; i < tries && Value(reply.get()).is_error(); ++i) {
    if (!Value(reply.get()).bytes().starts_with("NOSCRIPT")) break;
    const Reply loaded = asked.ask({"SCRIPT", "LOAD", text_of(script).text}, Channel::Kind::reads);
    if (const Value answer(loaded.get()); answer.is_error()) raise(answer.bytes());
    reply = asked.ask(command, kind);
  }
  if (const Value answer(reply.get()); answer.is_error()) raise(answer.bytes());
  return reply;
}

Channel& Server::channel() noexcept {
  if (channels_.size() == 1) return *channels_.front();
  // Each thread keeps to one: as many threads as connections share none.
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return *channels_[mine % channels_.size()];
}

void Server::close() noexcept {
  for (auto& each : channels_) each->close();
}

}  // namespace fairlane::redis
