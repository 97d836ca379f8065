// The least that an ordered queue per key does on Redis: scripts of bare list and sorted-set
// commands, and a client that does nothing but format and parse.
#pragma once

#include <hiredis/hiredis.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::bench {

/// A counter, a list for each group, groups by turn, and the busy ones; no leases that run out, no
/// fences, attempts, priorities, limits, rules or statistics. One connection, one thread.
class RedisFloor {
 public:
  RedisFloor(const std::string& host, int port, std::string name)
      : name_(std::move(name)), context_(redisConnect(host.c_str(), port)) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("no Redis server");
    publish_ = load(
        "local n = ARGV[1]\n"
        "for i = 2, #ARGV, 2 do\n"
        "  local seq = redis.call('INCR', n .. ':seq')\n"
        "  if redis.call('RPUSH', n .. ':g:' .. ARGV[i], ARGV[i + 1]) == 1 then\n"
        "    redis.call('ZADD', n .. ':ready', seq, ARGV[i])\n"
        "  end\n"
        "end\n"
        "return 1");
    const std::string claim =
        "local leases, first = {}, redis.call('ZPOPMIN', n .. ':ready', ARGV[2])\n"
        "for i = 1, #first, 2 do\n"
        "  local turn = redis.call('INCR', n .. ':turn')\n"
        "  leases[#leases + 1] = first[i]\n"
        "  leases[#leases + 1] = redis.call('LINDEX', n .. ':g:' .. first[i], 0)\n"
        "  redis.call('ZADD', n .. ':busy', turn, first[i])\n"
        "end\n";
    const std::string ack =
        "for i = 3, #ARGV do\n"
        "  local group = ARGV[i]\n"
        "  redis.call('ZREM', n .. ':busy', group)\n"
        "  redis.call('LPOP', n .. ':g:' .. group)\n"
        "  if redis.call('EXISTS', n .. ':g:' .. group) == 1 then\n"
        "    redis.call('ZADD', n .. ':ready', redis.call('INCR', n .. ':turn'), group)\n"
        "  end\n"
        "end\n";
    const std::string begin = "local n = ARGV[1]\n";
    claim_ = load(begin + claim + "return leases");
    ack_ = load(begin + ack + "return 1");
    ack_claim_ = load(begin + ack + claim + "return leases");
  }

  const std::string& name() const { return name_; }
  const std::string& publish_script() const { return publish_; }

  /// Commands go out with `flush`, their replies are taken by `take`, one for each.
  void publish(std::string_view group, std::string_view event) {
    append({publish_, "0", name_, group, event});
  }
  void claim() { append({claim_, "0", name_, "1"}); }
  void ack(std::string_view group) { append({ack_, "0", name_, "0", group}); }
  void ack_claim(std::string_view group) { append({ack_claim_, "0", name_, "1", group}); }

  template <class Words>
  void publish_all(const Words& groups_and_events) {
    append_all({publish_, "0", name_}, groups_and_events);
  }
  void claim_all(std::size_t count) { append({claim_, "0", name_, std::to_string(count)}); }
  template <class Words>
  void ack_all(const Words& groups) {
    append_all({ack_, "0", name_, "0"}, groups);
  }

  struct Free {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };
  using Reply = std::unique_ptr<redisReply, Free>;

  Reply take() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) throw std::runtime_error("no reply");
    Reply taken(static_cast<redisReply*>(reply));
    if (taken->type == REDIS_REPLY_ERROR) throw std::runtime_error(taken->str);
    return taken;
  }

 private:
  std::string load(const std::string& script) {
    const std::array<const char*, 3> words{"SCRIPT", "LOAD", script.c_str()};
    redisAppendCommandArgv(context_.get(), 3, const_cast<const char**>(words.data()), nullptr);
    const Reply reply = take();
    return {reply->str, reply->len};
  }
  void append(std::initializer_list<std::string_view> words) {
    append_all(words, std::array<std::string_view, 0>());
  }
  template <class Words>
  void append_all(std::initializer_list<std::string_view> first, const Words& more) {
    words_.assign(1, "EVALSHA");
    sizes_.assign(1, 7);
    const auto add = [&](std::string_view word) {
      words_.push_back(word.data());
      sizes_.push_back(word.size());
    };
    for (const auto word : first) add(word);
    for (const auto& word : more) add(word);
    redisAppendCommandArgv(context_.get(), static_cast<int>(words_.size()), words_.data(),
                           sizes_.data());
  }

  const std::string name_;
  const std::unique_ptr<redisContext, Free> context_;
  std::string publish_, claim_, ack_, ack_claim_;
  std::vector<const char*> words_;
  std::vector<std::size_t> sizes_;
};

}  // namespace fairlane::bench
