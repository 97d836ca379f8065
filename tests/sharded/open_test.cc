// What may be opened, and by which URL.
#include <stdexcept>

#include "fairlane/open.h"
#include "sharded_fixture.h"

namespace fairlane::sharded {
namespace {

ShardedOptions options_of(std::initializer_list<std::uint32_t> named) {
  ShardedOptions options;
  for (const auto number : named) options.shards.push_back({.number = number, .url = "memory:"});
  return options;
}

TEST_F(ShardedTest, WantsOneShardAtLeastEachWithANumberOfItsOwn) {
  EXPECT_THROW(open_sharded({}), std::invalid_argument);
  EXPECT_THROW(open_sharded(options_of({1000})), std::invalid_argument);
  EXPECT_THROW(open_sharded(options_of({3, 0, 3})), std::invalid_argument);
  EXPECT_NO_THROW(open_sharded(options_of({999, 0})));
  auto negative = options_of({0});
  negative.retry_interval = seconds(-1);
  EXPECT_THROW(open_sharded(std::move(negative)), std::invalid_argument);
}

TEST_F(ShardedTest, AShardIsATransportOrAUrl) {
  auto neither = options_of({0});
  neither.shards[0].url = "";
  EXPECT_THROW(open_sharded(std::move(neither)), std::invalid_argument);
  auto both = options_of({0});
  both.shards[0].transport = std::make_unique<Memory>();
  EXPECT_THROW(open_sharded(std::move(both)), std::invalid_argument);
}

TEST_F(ShardedTest, AShardIsNotShardedItself) {
  auto nested = options_of({0});
  nested.shards.push_back({.number = 1, .transport = std::move(queue)});
  EXPECT_THROW(open_sharded(std::move(nested)), std::invalid_argument);
}

TEST_F(ShardedTest, AUrlNamesNumbersAndUrls) {
  register_sharded();
  const auto opened = fairlane::open("sharded:?7=memory:&0=memory:&1=memory:",
                                     {.queue = {.max_event_bytes = 3}, .clock = clock});
  EXPECT_EQ(opened->publish(group_on(0), "e"), seq_of(0, 1));
  EXPECT_EQ(opened->publish(group_on(2), "e"), seq_of(2, 1));
  EXPECT_EQ(error_of([&] { opened->publish(group_on(1), "long"); }), ErrorCode::too_large);
  EXPECT_EQ(opened->clock(), clock);
}

TEST_F(ShardedTest, AUrlMaySplitBatches) {
  register_sharded();
  const auto opened = fairlane::open("sharded:?0=memory:&1=memory:&7=memory:&batches=split");
  std::vector<Publication<Bytes>> batch{{group_on(0), "1"}, {group_on(2), "2"}};
  EXPECT_EQ(opened->publish_batch(batch), (std::vector{seq_of(0, 1), seq_of(2, 1)}));
}

TEST_F(ShardedTest, AUrlThatIsAnythingElseIsRefused) {
  register_sharded();
  for (const char* const wrong :
       {"", "?", "memory:", "a?0=memory:", "?0=", "?0=nonsense:", "?00=memory:", "?-1=memory:",
        "?a=memory:", "?1000=memory:", "?0=memory:&0=memory:", "?99999999999=memory:",
        "?0=memory:&batches=whole", "?batches=split", "?0=sharded:%3F1=memory:"}) {
    EXPECT_THROW(fairlane::open(std::string("sharded:") + wrong), std::invalid_argument) << wrong;
  }
}

TEST_F(ShardedTest, OneShardOfTheNumberZeroGivesTheSeqsOfItsStore) {
  auto one = options_of({0});
  EXPECT_EQ(open_sharded(std::move(one))->publish("a", "1"), 1U);
}

}  // namespace
}  // namespace fairlane::sharded
