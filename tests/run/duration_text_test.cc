// Durations as people write them.
#include "run/duration_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace fairlane::run {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, TakesEveryUnit) {
  EXPECT_EQ(parse_duration("7ns"), Duration(7ns));
  EXPECT_EQ(parse_duration("7us"), Duration(7us));
  EXPECT_EQ(parse_duration("7ms"), Duration(7ms));
  EXPECT_EQ(parse_duration("7s"), Duration(7s));
  EXPECT_EQ(parse_duration("7m"), Duration(7min));
  EXPECT_EQ(parse_duration("7h"), Duration(7h));
  EXPECT_EQ(parse_duration("7d"), Duration(7 * 24h));
}

TEST(ParseDuration, TakesFractions) {
  EXPECT_EQ(parse_duration("1.5s"), Duration(1500ms));
  EXPECT_EQ(parse_duration("0.25h"), Duration(15min));
  EXPECT_EQ(parse_duration("0.001ms"), Duration(1us));
}

TEST(ParseDuration, IsExactWhereADoubleWouldNotBe) {
  EXPECT_EQ(parse_duration("9007199254740993ns"), Duration(9007199254740993ns));
  EXPECT_EQ(parse_duration("0.1s"), Duration(100ms));
  EXPECT_EQ(parse_duration("4611686018.427387905s"), Duration(4611686018427387905ns));
}

TEST(ParseDuration, RoundsWhatIsFinerThanANanosecondUp) {
  EXPECT_EQ(parse_duration("0.1ns"), Duration(1ns));
  EXPECT_EQ(parse_duration("1.0000000001s"), Duration(1'000'000'001ns));
  EXPECT_EQ(parse_duration("0.000000000000000000000000000001d"), Duration(1ns));
  EXPECT_EQ(parse_duration("1.000000000000000000000000000000s"), Duration(1s));
}

TEST(ParseDuration, SaturatesWhatDoesNotFit) {
  EXPECT_EQ(parse_duration("1000000d"), Duration::max());
  EXPECT_EQ(parse_duration("9223372036854775808ns"), Duration::max());
  EXPECT_EQ(parse_duration(std::string(1000, '9') + "ns"), Duration::max());
}

TEST(ParseDuration, TakesTheLargestThatFits) {
  EXPECT_EQ(parse_duration("9223372036854775806ns").value().count(), 9223372036854775806);
}

TEST(ParseDuration, TakesZeroWithAndWithoutAUnit) {
  EXPECT_EQ(parse_duration("0"), Duration(0ns));
  EXPECT_EQ(parse_duration("0d"), Duration(0ns));
  EXPECT_EQ(parse_duration("0.0s"), Duration(0ns));
}

TEST(ParseDuration, RefusesEverythingElseAndRepeatsIt) {
  for (const std::string text : {"",     " ",   "1",   "s",     "1 s",    " 1s",  "1s ",  "-1s",
                                 "+1s",  "1.s", ".5s", "1e3s",  "1S",     "1sec", "1,5s", "0x1s",
                                 "1s1s", "nan", "inf", "1..2s", "1.2.3s", "\xff", "never"}) {
    try {
      parse_duration(text);
      ADD_FAILURE() << "took \"" << text << "\"";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find('"' + text + '"'), std::string::npos)
          << error.what();
    }
  }
}

TEST(ParseDurationRange, TakesTwoOrOneForBoth) {
  const auto two = parse_duration_range("100ms..30s");
  EXPECT_EQ(two.min, Duration(100ms));
  EXPECT_EQ(two.max, Duration(30s));
  const auto one = parse_duration_range("1.5s");
  EXPECT_EQ(one.min, Duration(1500ms));
  EXPECT_EQ(one.max, Duration(1500ms));
  EXPECT_EQ(parse_duration_range("1s..1s").min, Duration(1s));
}

TEST(ParseDurationRange, RefusesHalvesAndTheLargerFirst) {
  for (const std::string text :
       {"..", "1s..", "..1s", "2s..1s", "1s...2s", "1s..2s..3s", "1s.2s"}) {
    EXPECT_THROW(parse_duration_range(text), std::invalid_argument) << text;
  }
}

TEST(DurationText, IsReadAgainAsTheSame) {
  for (const Duration duration : {Duration(0ns), Duration(1ns), Duration(250ms), Duration(1500ms),
                                  Duration(10min), Duration(2h), Duration(36h)}) {
    EXPECT_EQ(parse_duration(duration_text(duration)), duration) << duration_text(duration);
  }
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(duration_text(Duration(1500ms)), "1.5s");
  EXPECT_EQ(duration_text(Duration(250ms)), "250ms");
}

}  // namespace
}  // namespace fairlane::run
