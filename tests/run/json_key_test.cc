// Keys of events.
#include "run/json_key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace fairlane::run {
namespace {

using Path = JsonKey::Path;

std::variant<EventKey, BadLine> read(std::string_view line, std::string_view group_by,
                                     std::string_view priority_by = {}) {
  const JsonKey group_key(group_by);
  std::optional<JsonKey> priority_key;
  if (!priority_by.empty()) priority_key.emplace(priority_by);
  return KeyReader(&group_key, priority_key ? &*priority_key : nullptr).read(line);
}

std::string group_of(std::string_view line, std::string_view group_by) {
  const auto key = read(line, group_by);
  if (const auto* const bad = std::get_if<BadLine>(&key)) return "bad line: " + bad->reason;
  return std::get<EventKey>(key).group_id;
}

std::string reason_of(std::string_view line, std::string_view group_by,
                      std::string_view priority_by = {}) {
  const auto key = read(line, group_by, priority_by);
  const auto* const bad = std::get_if<BadLine>(&key);
  return bad != nullptr ? bad->reason : "none";
}

TEST(JsonKey, IsATopLevelKey) {
  EXPECT_EQ(JsonKey("case").paths(), std::vector<Path>({{"case"}}));
  EXPECT_EQ(JsonKey("a/b").paths(), std::vector<Path>({{"a/b"}}));
}

TEST(JsonKey, WithDotsIsATopLevelKeyFirstAndAPathSecond) {
  EXPECT_EQ(JsonKey("a.b").paths(), std::vector<Path>({{"a.b"}, {"a", "b"}}));
  EXPECT_EQ(JsonKey(".").paths(), std::vector<Path>({{"."}, {"", ""}}));
}

TEST(JsonKey, WithASlashAheadIsAPointer) {
  EXPECT_EQ(JsonKey("/a/0/b.c").paths(), std::vector<Path>({{"a", "0", "b.c"}}));
  EXPECT_EQ(JsonKey("/").paths(), std::vector<Path>({{""}}));
  EXPECT_EQ(JsonKey("/~01/~10").paths(), std::vector<Path>({{"~1", "/0"}}));
}

TEST(JsonKey, RefusesWhatIsEmptyOrMalformed) {
  for (const char* const text : {"", "/~", "/~2", "/a/~x"}) {
    EXPECT_THROW(JsonKey{text}, std::invalid_argument) << text;
  }
}

TEST(KeyReader, FindsTheValueAtItsPlaceOnly) {
  EXPECT_EQ(group_of(R"({"x":{"g":1},"y":[{"g":2}],"g":3})", "g"), "3");
  EXPECT_EQ(group_of(R"({"a":{"x":{"b":1},"b":2},"b":3})", "a.b"), "2");
  EXPECT_EQ(group_of(R"({"a":{"c":1},"b":{"b":2}})", "a.b"), "bad line: it has no \"a.b\"");
}

TEST(KeyReader, GoesThroughLists) {
  EXPECT_EQ(group_of(R"({"a":[[1],[2,3]]})", "/a/1/1"), "3");
  EXPECT_EQ(group_of(R"([{"g":1},{"g":2}])", "/1/g"), "2");
  EXPECT_EQ(group_of(R"({"a":[1]})", "/a/01"), "bad line: it has no \"/a/01\"");
  EXPECT_EQ(group_of(R"({"a":[1]})", "/a/-"), "bad line: it has no \"/a/-\"");
}

TEST(KeyReader, TakesTheLastOfEqualKeys) {
  EXPECT_EQ(group_of(R"({"g":1,"g":2})", "g"), "2");
  EXPECT_EQ(group_of(R"({"a":{"b":1},"a":{"c":2}})", "a.b"), "bad line: it has no \"a.b\"");
}

TEST(KeyReader, TakesANumberAsItsText) {
  for (const char* const number :
       {"0", "-0", "17", "-17", "1.50", "1e3", "1E+3", "-0.0", "18446744073709551615",
        "18446744073709551616", "-9223372036854775809", "0.1000000000000000000001"}) {
    EXPECT_EQ(group_of(std::string(R"({"g":)") + number + "}", "g"), number);
  }
}

TEST(KeyReader, UnescapesStrings) {
  EXPECT_EQ(group_of(R"({"g":"\u00e4\n\"\ud83d\ude00"})", "g"), "\u00e4\n\"\U0001f600");
  EXPECT_EQ(group_of(R"({"\u0067":"x"})", "g"), "x");
  EXPECT_EQ(group_of(R"({"g":"a\u0000b"})", "g"), std::string("a\0b", 3));
}

TEST(KeyReader, NamesWhyALineIsBad) {
  EXPECT_EQ(reason_of(R"({"h":1})", "g"), R"(it has no "g")");
  EXPECT_EQ(reason_of(R"({"g":true})", "g"), R"(its "g" is a boolean, neither string nor number)");
  EXPECT_EQ(reason_of(R"({"g":[]})", "g"), R"(its "g" is an array, neither string nor number)");
  EXPECT_EQ(reason_of(R"({"g":{}})", "g"), R"(its "g" is an object, neither string nor number)");
  EXPECT_EQ(reason_of(R"({"g":null})", "g"), R"(its "g" is null, neither string nor number)");
  EXPECT_EQ(reason_of(R"({"g":1)", "g").substr(0, 10), "no JSON at");
}

TEST(KeyReader, RefusesWhatTheLibraryOverlooks) {
  EXPECT_EQ(reason_of(std::string_view("{\"g\":1}\0x", 9), "g"), "no JSON at byte 8");
  EXPECT_EQ(reason_of("\xef\xbb\xbf{\"g\":1}", "g"), "no JSON at byte 1");
}

TEST(KeyReader, RefusesNumbersBeyondADouble) {
  EXPECT_EQ(reason_of(R"({"g":1e999})", "g").substr(0, 26), "a number too large to read");
}

TEST(KeyReader, BoundsNestingNotSize) {
  const auto nested = [](std::size_t depth) {
    return R"({"g":1,"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(group_of(nested(max_json_depth - 1), "g"), "1");
  EXPECT_EQ(reason_of(nested(max_json_depth), "g"), "nested deeper than 1000 levels");
  EXPECT_EQ(reason_of(nested(5'000'000), "g"), "nested deeper than 1000 levels");
}

TEST(KeyReader, BoundsTheGroup) {
  const auto line = [](std::size_t bytes) { return R"({"g":")" + std::string(bytes, 'x') + "\"}"; };
  EXPECT_EQ(group_of(line(1024), "g").size(), 1024U);
  EXPECT_EQ(reason_of(line(1025), "g"), "its group has 1025 bytes, more than 1024");
}

TEST(KeyReader, TakesPrioritiesOf32Bits) {
  const auto priority = [](const char* number) {
    const auto key = read(std::string(R"({"g":1,"p":)") + number + "}", "g", "p");
    return std::get<EventKey>(key).priority;
  };
  EXPECT_EQ(priority("2147483647"), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(priority("-2147483648"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(priority("-0"), 0);
  EXPECT_EQ(std::get<EventKey>(read(R"({"g":1})", "g", "p")).priority, 0);
}

TEST(KeyReader, RefusesOtherPriorities) {
  for (const char* const number : {"2147483648", "-2147483649", "1.0", "1e1", "\"1\"", "null"}) {
    EXPECT_EQ(reason_of(std::string(R"({"g":1,"p":)") + number + "}", "g", "p"),
              R"(its "p" is no 32-bit integer)")
        << number;
  }
}

TEST(KeyReader, MayHaveOneKeyForBoth) {
  const auto key = std::get<EventKey>(read(R"({"g":7})", "g", "g"));
  EXPECT_EQ(key.group_id, "7");
  EXPECT_EQ(key.priority, 7);
}

}  // namespace
}  // namespace fairlane::run
