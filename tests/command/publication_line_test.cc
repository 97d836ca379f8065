#include "queue/publication_line.h"

#include <gmock/gmock.h>

#include <string>

#include "run/json_key.h"

namespace fairlane::command {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string event_of(const std::string& json) {
  return parse_publication(R"({"group":"g","event":)" + json + "}").event;
}

void expect_bad(const std::string& line, const std::string& reason) {
  EXPECT_THAT([&] { parse_publication(line); }, ThrowsMessage<BadPublication>(HasSubstr(reason)))
      << line.substr(0, 100);
}

TEST(PublicationLineTest, ReadsGroupEventAndPriority) {
  const auto line = parse_publication(R"( {"priority":-7, "event":"e", "group":"g"} )");
  EXPECT_EQ(line.group_id, "g");
  EXPECT_EQ(line.event, "e");
  EXPECT_EQ(line.priority, -7);
  EXPECT_EQ(parse_publication(R"({"group":"","event":""})").priority, 0);
}

TEST(PublicationLineTest, AStringIsItsBytes) {
  EXPECT_EQ(event_of(R"("a\u00e9\n\u0000b\ud83d\ude00")"), std::string("aé\n\0b😀", 10));
}

TEST(PublicationLineTest, AnyOtherValueIsItsCompactText) {
  EXPECT_EQ(event_of("null"), "null");
  EXPECT_EQ(event_of(" true "), "true");
  EXPECT_EQ(event_of(R"({ "b" : [ 1 , {} , [ ] , "x\"\u0001" ] , "a" : { "c" : null } })"),
            R"({"b":[1,{},[],"x\"\u0001"],"a":{"c":null}})");
  EXPECT_EQ(event_of(R"([[1],[2,3],{"k":[4]}])"), R"([[1],[2,3],{"k":[4]}])");
}

TEST(PublicationLineTest, NumbersLoseNothing) {
  for (const std::string number :
       {"0", "-0", "1.0", "1e3", "0.1000", "18446744073709551615", "-9223372036854775808",
        "123456789012345678901234567890", "3.14159265358979323846264338327950288"}) {
    EXPECT_EQ(event_of(number), number);
    EXPECT_EQ(event_of("[" + number + "]"), "[" + number + "]");
  }
}

TEST(PublicationLineTest, AGroupMayBeANumber) {
  EXPECT_EQ(parse_publication(R"({"group":17,"event":1})").group_id, "17");
  EXPECT_EQ(parse_publication(R"({"group":1.50,"event":1})").group_id, "1.50");
}

TEST(PublicationLineTest, BytesThatAreNoTextComeInBase64) {
  const auto line = parse_publication(R"({"group_base64":"/wA=","event_base64":"AAEC"})");
  EXPECT_EQ(line.group_id, std::string("\xff\0", 2));
  EXPECT_EQ(line.event, std::string("\0\1\2", 3));
  expect_bad(R"({"group":"g","event_base64":"AAE"})", "\"event_base64\" is no base64");
  expect_bad(R"({"group_base64":7,"event":1})", "\"group_base64\" is no base64");
}

TEST(PublicationLineTest, RefusesWhatIsNotThereOrThereTwice) {
  expect_bad(R"({"event":1})", "no \"group\"");
  expect_bad(R"({"group":"g"})", "no \"event\"");
  expect_bad(R"({"group":"g","group":"g","event":1})", "\"group\" is there twice");
  expect_bad(R"({"group":"g","event":1,"event":[1]})", "\"event\" is there twice");
  expect_bad(R"({"group":"g","group_base64":"","event":1})", "both");
  expect_bad(R"({"group":"g","event":1,"event_base64":""})", "both");
  expect_bad(R"({"group":"g","event":1,"prioritty":1})", "unknown key \"prioritty\"");
}

TEST(PublicationLineTest, RefusesAGroupThatIsNone) {
  for (const std::string group : {"null", "true", "[]", "{}", "[\"g\"]"}) {
    expect_bad("{\"group\":" + group + ",\"event\":1}", "neither string nor number");
  }
  const std::string longest(1024, 'x');
  EXPECT_EQ(parse_publication("{\"group\":\"" + longest + "\",\"event\":1}").group_id, longest);
  expect_bad("{\"group\":\"" + longest + "x\",\"event\":1}", "1025 bytes, more than 1024");
}

TEST(PublicationLineTest, RefusesAPriorityThatIsNo32BitInteger) {
  for (const std::string priority : {"2147483648", "-2147483649", "1.0", "1e2", "\"1\"", "null",
                                     "[1]", "-0.5", "99999999999999999999"}) {
    expect_bad("{\"group\":\"g\",\"event\":1,\"priority\":" + priority + "}", "32-bit");
  }
}

TEST(PublicationLineTest, RefusesWhatIsNoJsonObject) {
  for (const std::string line :
       {"", " ", "x", "[]", "\"g\"", "7", "null", "{", "{}}", R"({"group":"g","event":1}{})",
        R"({"group":"g","event":1,})", R"({"group":"g","event":01})", "{\"group\":\"g\xff\"}",
        R"({"group":"g","event":"\ud800"})", R"({"group":"g","event":1e999})",
        "\xef\xbb\xbf{\"group\":\"g\",\"event\":1}"}) {
    EXPECT_THROW(parse_publication(line), BadPublication) << line;
  }
  expect_bad(std::string("{\"group\":\"g\",\"event\":1}\0", 24), "byte 24");
}

TEST(PublicationLineTest, DepthIsBounded) {
  const auto lists = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(event_of(lists(run::max_json_depth - 1)), lists(run::max_json_depth - 1));
  expect_bad(R"({"group":"g","event":)" + lists(run::max_json_depth) + "}", "nested deeper");
  expect_bad(R"({"group":"g","event":)" + std::string(10'000'000, '['), "nested deeper");
}

}  // namespace
}  // namespace fairlane::command
