// A queue of a test's own on the tests' server, or on a server of its own.
#pragma once

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlane/error.h"
#include "fairlane/redis_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "programs.h"
#include "redis/redis_backend.h"
#include "redis/reply.h"
#include "support/redis_queues.h"
#include "support/temporary_folder.h"

namespace fairlane::redis {

/// Asks a server without the transport.
class Raw {
 public:
  explicit Raw(const RedisOptions& server)
      : context_(redisConnect(server.host.c_str(), server.port)) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("no server");
  }

  Reply ask(const std::vector<std::string>& words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    for (const auto& word : words) {
      starts.push_back(word.data());
      sizes.push_back(word.size());
    }
    Reply reply(static_cast<redisReply*>(redisCommandArgv(
        context_.get(), static_cast<int>(words.size()), starts.data(), sizes.data())));
    if (reply == nullptr) throw std::runtime_error("the server does not answer");
    if (const Value value(reply.get()); value.is_error()) throw std::runtime_error(value.text());
    return reply;
  }
  std::int64_t number(const std::vector<std::string>& words) {
    return Value(ask(words).get()).integer();
  }
  std::string text(const std::vector<std::string>& words) { return Value(ask(words).get()).text(); }
  /// The number behind `name` in what INFO tells.
  std::uint64_t info(const std::string& section, const std::string& name) {
    const std::string all = text({"INFO", section});
    const auto at = all.find(name);
    return at == std::string::npos ? 0 : std::stoull(all.substr(at + name.size()));
  }
  std::vector<std::string> keys_of(const std::string& queue) {
    std::vector<std::string> keys;
    const Reply reply = ask({"KEYS", "*"});
    const Value all(reply.get());
    const std::string record = record_key(queue);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].text().starts_with(record)) keys.push_back(all[i].text());
    }
    return keys;
  }

 private:
  struct Free {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> context_;
};

class RedisTest : public ::testing::Test {
 protected:
  std::unique_ptr<Transport<Bytes>> open() const { return open_redis(options); }

  /// The error that a call raises.
  template <class Call>
  static TransportError raised_by(Call call) {
    try {
      call();
    } catch (const TransportError& error) {
      return error;
    }
    ADD_FAILURE() << "no error was raised";
    return {ErrorCode::not_found, ""};
  }
  template <class Call>
  static ErrorCode error_of(Call call) {
    return raised_by(call).code();
  }

  const std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
  RedisOptions options = with_clock(test::redis_options(), clock);

 private:
  static RedisOptions with_clock(RedisOptions options, std::shared_ptr<Clock> clock) {
    options.clock = std::move(clock);
    return options;
  }
};

/// A server that a test may configure, freeze and kill.
class OwnServer {
 public:
  /// `config`: more lines of its configuration.
  explicit OwnServer(const std::string& config = "")
      : folder_(parent_.path() + "/server"), server_(script(config), folder_) {}

  /// By the server's clock.
  RedisOptions options() const {
    RedisOptions options;
    options.port = std::stoi(server_.url().substr(server_.url().rfind(':') + 1));
    options.queue_name = test::fresh_queue_name();
    return options;
  }
  void kill() const { server_.kill(); }
  void start() const { server_.start(); }
  pid_t process() const { return std::stoi(torture::output_of({"cat", folder_ + "/pid"})); }

 private:
  static std::string script(const std::string& config) {
    ::setenv("REDIS_CONFIG", config.c_str(), 1);
    return std::string(FAIRLANE_TESTS_FOLDER) + "/servers/redis";
  }

  const test::TemporaryFolder parent_;
  const std::string folder_;
  const torture::Server server_;
};

}  // namespace fairlane::redis
