#include "replay/json_line.h"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <string>

namespace fairlane::replay {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr auto longest = std::numeric_limits<std::int64_t>::max();

std::string lists(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

auto breaks(const std::string& reason) { return ThrowsMessage<BrokenTrace>(HasSubstr(reason)); }

TEST(ParseLine, KeepsTheOrderOfKeys) {
  EXPECT_EQ(event_text(parse_line(R"( {"b": 1, "a": [true, null]} )")),
            R"({"b":1,"a":[true,null]})");
}

TEST(ParseLine, RefusesWhatIsNotOneJsonValue) {
  for (const std::string line : {"", "{", "{}{}", "{} x", "nul", "{'a':1}", "[1,]", "1e999"}) {
    EXPECT_THROW(parse_line(line), BrokenTrace) << line;
  }
}

TEST(ParseLine, RefusesWhatIsNoUtf8) {
  EXPECT_THROW(parse_line("\"\xff\""), BrokenTrace);
  EXPECT_THROW(parse_line("\"\xc0\xaf\""), BrokenTrace) << "an overlong form";
  EXPECT_THROW(parse_line("\"\xed\xa0\x80\""), BrokenTrace) << "a surrogate";
  EXPECT_THROW(parse_line(R"("\ud800")"), BrokenTrace) << "half a pair of surrogates";
}

TEST(ParseLine, RefusesANulByteAnywhere) {
  using std::string_literals::operator""s;
  for (const auto& line : {"{}\0"s, "{}\0garbage"s, "\0{}"s, "\"\0\""s}) {
    EXPECT_THAT([&] { parse_line(line); }, breaks("NUL"));
  }
  EXPECT_EQ(parse_line(R"("\u0000")").get<std::string>(), "\0"s) << "written out it is a character";
}

TEST(ParseLine, RefusesAKeyThatComesTwiceInOneObject) {
  EXPECT_THAT([] { parse_line(R"({"a":1,"b":2,"a":1})"); }, breaks("\"a\" comes twice"));
  EXPECT_THAT([] { parse_line(R"({"x":[{"a":1,"\u0061":2}]})"); }, breaks("\"a\" comes twice"));
}

TEST(ParseLine, TakesTheSameKeyInDifferentObjects) {
  EXPECT_NO_THROW(parse_line(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})"));
}

TEST(ParseLine, RefusesNestingThatNoEventNeeds) {
  EXPECT_NO_THROW(parse_line(lists(256)));
  EXPECT_THAT([] { parse_line(lists(1'000)); }, breaks("nested deeper"));
  EXPECT_THAT([] { parse_line(std::string(1'000'000, '[')); }, breaks("nested deeper"));
}

TEST(EventText, IsCompactAndLeavesNonAsciiUnescaped) {
  EXPECT_EQ(event_text(parse_line(R"({ "k" : [ 1 , "\u00e9" ] })")), "{\"k\":[1,\"\xc3\xa9\"]}");
}

TEST(Keys, StandOnlyOnAnObject) {
  for (const std::string line : {"[1]", "1", "null", R"("x")"}) {
    const Json value = parse_line(line);
    EXPECT_THAT([&] { const Keys keys(value); }, breaks("not a JSON object")) << line;
  }
}

TEST(Keys, GiveTheDefaultOfAKeyThatIsAbsent) {
  const Json object = Json::object();
  Keys keys(object);
  EXPECT_EQ(keys.text("a", "w"), "w");
  EXPECT_EQ(keys.value("a", nullptr), nullptr);
  EXPECT_TRUE(keys.boolean("a", true));
  EXPECT_EQ(keys.optional_text("a"), std::nullopt);
  EXPECT_EQ(keys.milliseconds("a", milliseconds(7)), Duration(milliseconds(7)));
  EXPECT_EQ(keys.int32("a", -3), -3);
  EXPECT_EQ(keys.count("a", 9), 9U);
  EXPECT_NO_THROW(keys.finish());
}

TEST(Keys, MissWhatHasToBeThere) {
  const Json object = Json::object();
  Keys keys(object);
  EXPECT_THAT([&] { keys.text("a"); }, breaks("\"a\" is missing"));
  EXPECT_THAT([&] { keys.milliseconds("a"); }, breaks("\"a\" is missing"));
  EXPECT_THAT([&] { keys.count("a"); }, breaks("\"a\" is missing"));
  EXPECT_THAT([&] { keys.array("a"); }, breaks("\"a\" is missing"));
}

TEST(Keys, RefuseAnotherTypeAndNullIsOne) {
  const Json object = parse_line(R"({"n":1,"s":"1","null":null,"half":0.5})");
  Keys keys(object);
  EXPECT_THAT([&] { keys.text("n"); }, breaks("\"n\" has to be a string, not number"));
  EXPECT_THAT([&] { keys.text("null", "w"); }, breaks("\"null\" has to be a string"));
  EXPECT_THAT([&] { keys.optional_text("null"); }, breaks("\"null\" has to be a string"));
  EXPECT_THAT([&] { keys.boolean("n", false); }, breaks("\"n\" has to be true or false"));
  EXPECT_THAT([&] { keys.array("s"); }, breaks("\"s\" has to be a list"));
  EXPECT_THAT([&] { keys.count("s", 0); }, breaks("\"s\" has to be a whole number"));
  EXPECT_THAT([&] { keys.int32("half", 0); }, breaks("\"half\" has to be a whole number"));
  EXPECT_THAT([&] { keys.milliseconds("half"); }, breaks("\"half\" has to be a whole number"));
}

TEST(Keys, ReadTimesThatSaturate) {
  const Json object = parse_line(
      R"({"a":1500,"max":9223372036854775807,"more":18446744073709551615,"huge":1e300,"low":-1e300})");
  Keys keys(object);
  EXPECT_EQ(keys.milliseconds("a"), Duration(milliseconds(1500)));
  for (const char* const key : {"max", "more", "huge"}) {
    EXPECT_EQ(keys.milliseconds(key).value().count(), longest) << key;
  }
  EXPECT_TRUE(keys.milliseconds("low").is_negative());
}

TEST(Keys, ReadWholeNumbersUpToTheEndsOfTheirRange) {
  const Json object =
      parse_line(R"({"min":-2147483648,"max":2147483647,"n":9223372036854775807,"two":2.0})");
  Keys keys(object);
  EXPECT_EQ(keys.int32("min", 0), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(keys.int32("max", 0), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(keys.count("n"), static_cast<std::uint64_t>(longest));
  EXPECT_EQ(keys.count("two"), 2U);
  EXPECT_NO_THROW(keys.finish());
}

TEST(Keys, TellOfNumbersOutOfRangeOnlyAtTheEnd) {
  for (const std::string line :
       {R"({"p":2147483648})", R"({"p":-2147483649})", R"({"p":1e30})", R"({"n":-1})"}) {
    const Json object = parse_line(line);
    Keys keys(object);
    EXPECT_EQ(keys.int32("p", 0), 0) << line;
    EXPECT_EQ(keys.count("n", 0), 0U) << line;
    EXPECT_NO_THROW(keys.refuse_unknown()) << line;
    EXPECT_THROW(keys.refuse_out_of_range(), std::invalid_argument) << line;
    EXPECT_THROW(keys.finish(), std::invalid_argument) << line;
  }
}

TEST(Keys, FindAKeyThatNobodyRead) {
  const Json object = parse_line(R"({"a":"x","b":1})");
  Keys keys(object);
  keys.text("a");
  EXPECT_THAT([&] { keys.finish(); }, breaks("unknown key \"b\""));
  keys.value("b", nullptr);
  EXPECT_NO_THROW(keys.finish());
}

TEST(Keys, PutAnUnknownKeyBeforeANumberOutOfRange) {
  const Json object = parse_line(R"({"p":9999999999,"b":1})");
  Keys keys(object);
  keys.int32("p", 0);
  EXPECT_THAT([&] { keys.finish(); }, breaks("unknown key \"b\""));
}

}  // namespace
}  // namespace fairlane::replay
