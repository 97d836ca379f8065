// How a queue is opened, again and by others: options, names, versions, URLs, passwords.
#include <algorithm>
#include <future>
#include <set>

#include "fairlane/open.h"
#include "redis_fixture.h"

namespace fairlane::redis {
namespace {

using std::chrono::seconds;

TEST_F(RedisTest, LeasesParksSuspensionsAndDeadLettersSurviveTheProcess) {
  std::optional<Lease<Bytes>> held;
  {
    const auto queue = open();
    for (const char* const group : {"leased", "parked", "dead", "suspended"}) {
      queue->publish(group, group);
    }
    queue->control().suspend("suspended");
    held = queue->claim("w", seconds(30));
    EXPECT_EQ(queue->nack(*queue->claim("w", seconds(30)), seconds(30)), Settled::done);
    EXPECT_EQ(queue->reject(*queue->claim("w", seconds(30)), "why"), Settled::done);
  }
  const auto queue = open();
  EXPECT_EQ(queue->control().inspect("leased").worker_id, "w");
  EXPECT_EQ(queue->control().inspect("parked").state, GroupState::parked);
  EXPECT_EQ(queue->control().inspect("suspended").state, GroupState::suspended);
  EXPECT_EQ(queue->control().dead_letters(10).at(0).reason, "why");
  EXPECT_EQ(queue->ack(*held), Settled::done);
  EXPECT_EQ(queue->publish("more", "x"), 5U);
}

TEST_F(RedisTest, OptionsBelongToTheQueue) {
  auto named = options;
  named.queue = {.rotation = Rotation::ready_order, .max_attempts = 3};
  { const auto queue = open_redis(named); }
  { const auto queue = open(); }  // Who names none takes the stored ones.
  auto other = options;
  other.queue = {.max_attempts = 4};
  EXPECT_EQ(error_of([&] { open_redis(other); }), ErrorCode::incompatible);
  other.queue = {.max_attempts = 3};
  EXPECT_NO_THROW(open_redis(other));
}

TEST_F(RedisTest, ChangedOptionsHoldForWhoHasItOpen) {
  const auto before = open();
  before->publish("a", "1");
  before->publish("b", "2");
  auto changed = options;
  changed.queue = {.max_messages = 2};
  changed.change_options = true;
  const auto after = open_redis(changed);
  EXPECT_EQ(error_of([&] { before->publish("c", "3"); }), ErrorCode::full);
  EXPECT_EQ(before->ack(*before->claim("w", seconds(30))), Settled::done);
  EXPECT_NO_THROW(after->publish("c", "3"));
  EXPECT_EQ(error_of([&] { after->publish("c", "4"); }), ErrorCode::full);
}

TEST_F(RedisTest, ManyWhoOpenAFreshQueueAtOnceOpenTheSame) {
  std::vector<std::future<std::unique_ptr<Transport<Bytes>>>> openers;
  for (int i = 0; i < 8; ++i) {
    openers.push_back(std::async(std::launch::async, [this] { return open(); }));
  }
  std::set<std::uint64_t> seqs;
  std::set<std::uint64_t> stores;
  for (auto& opener : openers) {
    const auto queue = opener.get();
    seqs.insert(queue->publish("a", "1"));
    const auto lease = queue->claim("w", seconds(30));
    ASSERT_TRUE(lease);
    stores.insert(lease->key().store);
    EXPECT_EQ(queue->nack(*lease), Settled::done);
  }
  EXPECT_EQ(seqs.size(), 8U);
  EXPECT_EQ(stores.size(), 1U);
}

TEST_F(RedisTest, QueuesOfOneServerKnowNothingOfEachOther) {
  const auto one = open();
  auto second = options;
  second.queue_name += "}";
  const auto two = open_redis(second);
  one->publish("a", "of one");
  EXPECT_EQ(two->publish("a", "of two"), 1U) << "each counts for itself";
  one->control().suspend("a");
  const auto lease = two->claim("w", seconds(30));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->event(), "of two");
  EXPECT_THROW(static_cast<void>(one->ack(*lease)), std::invalid_argument);
  EXPECT_EQ(one->control().stats().groups, 1U);
}

TEST_F(RedisTest, NamesMayBeAnyBytes) {
  using namespace std::string_literals;
  const std::vector<std::string> names = {
      "",      "}",    "{",          "{}",   "%", "%7D",     "a:b",
      "a\0b"s, "\r\n", "{fairlane:", "}:g:", "*", "\xff\0"s, std::string(1024, '\xff')};
  std::set<std::uint64_t> stores;
  for (const auto& name : names) {
    auto named = options;
    named.queue_name += "/" + name;
    const auto queue = open_redis(named);
    for (const auto& group : names) queue->publish(group, group);
    for (const auto& group : names) queue->publish(group, "second");
    EXPECT_EQ(queue->control().groups({.limit = 100}).size(), names.size());
    for (const auto& group : names) {
      const auto lease = queue->claim(group, seconds(30));
      ASSERT_TRUE(lease);
      EXPECT_EQ(lease->group_id(), group);
      EXPECT_EQ(lease->event(), group);
      EXPECT_EQ(queue->control().inspect(group).worker_id, group);
      EXPECT_EQ(queue->reject(*lease, group), Settled::done);
      stores.insert(lease->key().store);
    }
    const auto dead = queue->control().dead_letters(100);
    ASSERT_EQ(dead.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(dead[i].group_id, names[i]);
      EXPECT_EQ(dead[i].reason, names[i]);
      EXPECT_EQ(queue->control().groups({.limit = 100, .after = names[i]}).size(),
                static_cast<std::size_t>(std::count_if(
                    names.begin(), names.end(), [&](const auto& one) { return one > names[i]; })));
    }
  }
  EXPECT_EQ(stores.size(), names.size());
}

TEST_F(RedisTest, ANewerVersionIsRefused) {
  { const auto queue = open(); }
  Raw raw(options);
  raw.ask({"HSET", record_key(options.queue_name), "version", "99"});
  EXPECT_EQ(error_of([&] { open(); }), ErrorCode::incompatible);
}

TEST_F(RedisTest, AKeyThatIsNoQueueIsCorrupt) {
  Raw raw(options);
  raw.ask({"SET", record_key(options.queue_name), "a text"});
  EXPECT_EQ(error_of([&] { open(); }), ErrorCode::corrupt);
  raw.ask({"DEL", record_key(options.queue_name)});
  raw.ask({"HSET", record_key(options.queue_name), "a", "hash"});
  EXPECT_EQ(error_of([&] { open(); }), ErrorCode::corrupt);
}

TEST_F(RedisTest, AQueueWhoseRecordWasDroppedIsCorrupt) {
  const auto queue = open();
  queue->publish("a", "1");
  Raw raw(options);
  raw.ask({"DEL", record_key(options.queue_name)});
  EXPECT_EQ(error_of([&] { queue->publish("a", "2"); }), ErrorCode::corrupt);
  EXPECT_EQ(error_of([&] { static_cast<void>(queue->claim("w", seconds(1))); }),
            ErrorCode::corrupt);
}

TEST_F(RedisTest, AUrlNamesServerAndQueue) {
  register_redis();
  const std::string url = test::server_url("FAIRLANE_TEST_REDIS");
  const OpenOptions by_hand{.clock = clock};
  fairlane::open(url + "/3?queue=" + options.queue_name + "&connections=2&answer_timeout_ms=9000",
                 by_hand)
      ->publish("a", "1");
  EXPECT_EQ(open()->control().stats().ready, 0U) << "another database";
  auto named = options;
  named.database = 3;
  EXPECT_EQ(open_redis(named)->control().stats().ready, 1U);
  for (const char* const wrong :
       {"?nonsense=1", "?queue", "?connections=0", "?connections=x", "/x", "/1x", "?database=1"}) {
    EXPECT_THROW(fairlane::open(url + wrong), std::invalid_argument) << wrong;
  }
  for (const char* const wrong :
       {"redis:", "redis:localhost", "redis://h:0", "redis://h:99999", "redis://h:", "redis://%00",
        "rediss://localhost", "redis+unix://", "redis://:%zz@h"}) {
    EXPECT_THROW(fairlane::open(wrong), std::invalid_argument) << wrong;
  }
}

TEST_F(RedisTest, AUrlNamesASocketOfTheFileSystem) {
  register_redis();
  const test::TemporaryFolder folder;
  const OwnServer server("unixsocket " + folder.path() + "/socket");
  const std::string url = "redis+unix://" + folder.path() + "/socket?queue=jobs&database=1";
  fairlane::open(url)->publish("a", "1");
  EXPECT_EQ(fairlane::open(url)->control().stats().ready, 1U);
}

TEST_F(RedisTest, NoTextHoldsThePassword) {
  register_redis();
  const OwnServer server;
  auto asked = server.options();
  Raw(asked).ask({"CONFIG", "SET", "requirepass", "open-sesame"});
  EXPECT_EQ(error_of([&] { open_redis(asked); }), ErrorCode::unavailable) << "none";
  asked.password = "wrong-sesame";
  const auto error = raised_by([&] { open_redis(asked); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_EQ(std::string(error.what()).find("sesame"), std::string::npos) << error.what();
  asked.password = "open-sesame";
  EXPECT_EQ(open_redis(asked)->publish("a", "1"), 1U);
  const std::string port = std::to_string(asked.port);
  EXPECT_EQ(fairlane::open("redis://:open%2Dsesame@127.0.0.1:" + port)->publish("a", "1"), 1U);
  EXPECT_EQ(fairlane::open("redis://default:open-sesame@127.0.0.1:" + port)->publish("a", "1"), 2U);
  const std::vector<std::string> broken = {"redis://:sesame%@127.0.0.1:" + port,
                                           "redis://u:sesame@h:x",
                                           "redis://:sesame@127.0.0.1:" + port};
  for (const auto& url : broken) {
    try {
      fairlane::open(url);
      ADD_FAILURE() << url;
    } catch (const std::exception& raised) {
      EXPECT_EQ(std::string(raised.what()).find("sesame"), std::string::npos) << raised.what();
    }
  }
}

TEST_F(RedisTest, AClockThatIsNoTestsIsRefused) {
  options.clock = monotonic_clock();
  EXPECT_THROW(open(), std::invalid_argument);
}

TEST_F(RedisTest, AServerThatDropsKeysIsRefused) {
  const OwnServer server("maxmemory 100mb");
  const auto own = server.options();
  Raw raw(own);
  raw.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  EXPECT_EQ(error_of([&] { open_redis(own); }), ErrorCode::incompatible);
  raw.ask({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"});
  EXPECT_NO_THROW(open_redis(own)) << "no key of a queue expires";
  raw.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "0"});
  EXPECT_NO_THROW(open_redis(own)) << "no limit";
}

}  // namespace
}  // namespace fairlane::redis
