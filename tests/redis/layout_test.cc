// Numbers and words as the scripts write them.
#include "redis/words.h"

#include <gtest/gtest.h>

#include "redis/redis_backend.h"
#include "redis/scripts.h"

namespace fairlane::redis {
namespace {

using namespace std::chrono_literals;

TEST(RedisWords, DurationsAreRoundedUpAndSaturate) {
  EXPECT_EQ(microseconds(Duration()), 0);
  EXPECT_EQ(microseconds(Duration(1ns)), 1);
  EXPECT_EQ(microseconds(Duration(1us)), 1);
  EXPECT_EQ(microseconds(Duration(1001ns)), 2);
  EXPECT_EQ(microseconds(Duration::max()), never);
  EXPECT_EQ(instant(never), Instant::max());
  EXPECT_EQ(instant(5), Instant(5us));
  EXPECT_LT(instant(never - 1), Instant::max());
}

TEST(RedisWords, NumbersOfEightBytesSortAsTheirBytes) {
  for (const std::uint64_t number : {0ULL, 1ULL, 255ULL, 256ULL, 1ULL << 53U, ~0ULL}) {
    EXPECT_EQ(from_bytes(to_bytes(number)), number);
  }
  EXPECT_LT(to_bytes(255), to_bytes(256));
}

TEST(RedisWords, WordsOfAnotherLengthAreNone) {
  EXPECT_FALSE(Words::read(""));
  EXPECT_FALSE(Words::read("twelve bytes"));
  const auto words = Words::read(std::string("\x05\xff\xff\xff\xfe", 5) + "somebody");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->claimable, -2);
  EXPECT_FALSE(words->room);
  EXPECT_TRUE(words->short_time);
  EXPECT_EQ(words->sender, "somebody");
}

TEST(RedisKeys, ABraceInANameEndsNoTag) {
  EXPECT_EQ(record_key("jobs"), "{fairlane:jobs}");
  EXPECT_EQ(record_key("a}b%"), "{fairlane:a%7Db%25}");
  EXPECT_NE(record_key("a}"), record_key("a%7D"));
}

TEST(RedisScripts, NoneHasAPartThatWasNotPutIn) {
  for (int i = 0; i <= static_cast<int>(Script::terminate); ++i) {
    const auto script = text_of(static_cast<Script>(i));
    EXPECT_EQ(script.identity.size(), 40U);
    EXPECT_EQ(script.text.find("@include"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace fairlane::redis
