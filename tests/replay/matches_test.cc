#include <gtest/gtest.h>

#include "replay/replay.h"

namespace fairlane::replay {
namespace {

bool match(const char* expected, const char* got) {
  return matches(parse_line(expected), parse_line(got));
}

TEST(Matches, LooksOnlyAtTheKeysThatAreNamed) {
  EXPECT_TRUE(match(R"({})", R"({"a":1})"));
  EXPECT_TRUE(match(R"({"a":1})", R"({"b":2,"a":1})"));
  EXPECT_FALSE(match(R"({"a":1})", R"({"a":2})"));
  EXPECT_FALSE(match(R"({"a":1})", R"({"b":1})"));
}

TEST(Matches, DoesTheSameForObjectsInside) {
  EXPECT_TRUE(match(R"({"l":{"g":"A"}})", R"({"l":{"s":1,"g":"A"}})"));
  EXPECT_FALSE(match(R"({"l":{"g":"A","x":1}})", R"({"l":{"s":1,"g":"A"}})"));
  EXPECT_TRUE(match(R"({"l":{}})", R"({"l":{"s":1}})"));
}

TEST(Matches, TakesNullForAValueLikeOthers) {
  EXPECT_TRUE(match(R"({"l":null})", R"({"l":null})"));
  EXPECT_FALSE(match(R"({"l":null})", R"({"l":{}})"));
  EXPECT_FALSE(match(R"({"l":{}})", R"({"l":null})"));
  EXPECT_FALSE(match(R"({"l":null})", R"({})")) << "an absent key is not null";
}

TEST(Matches, ComparesListsWhole) {
  EXPECT_TRUE(match(R"({"s":[1,2]})", R"({"s":[1,2]})"));
  EXPECT_FALSE(match(R"({"s":[1]})", R"({"s":[1,2]})"));
  EXPECT_FALSE(match(R"({"s":[]})", R"({"s":[1]})"));
  EXPECT_FALSE(match(R"({"s":[2,1]})", R"({"s":[1,2]})"));
}

TEST(Matches, ComparesObjectsInListsExactlyButInAnyOrderOfKeys) {
  EXPECT_FALSE(match(R"({"m":[{"a":1}]})", R"({"m":[{"a":1,"b":2}]})"));
  EXPECT_FALSE(match(R"({"m":[{"a":{"x":1}}]})", R"({"m":[{"a":{"x":1,"y":2}}]})"));
  EXPECT_TRUE(
      match(R"({"m":[{"b":{"y":2,"x":1},"a":1}]})", R"({"m":[{"a":1,"b":{"x":1,"y":2}}]})"));
}

TEST(Matches, DoesNotTakeOneTypeForAnother) {
  EXPECT_FALSE(match(R"({"a":1})", R"({"a":"1"})"));
  EXPECT_FALSE(match(R"({"a":0})", R"({"a":false})"));
  EXPECT_FALSE(match(R"({"a":[]})", R"({"a":{}})"));
  EXPECT_TRUE(match(R"({"a":1.0})", R"({"a":1})")) << "JSON knows one kind of number";
}

}  // namespace
}  // namespace fairlane::replay
