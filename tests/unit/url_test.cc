// What stands behind the scheme of a transport's URL.
#include "common/url.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fairlane::common {
namespace {

using Parameters = std::map<std::string, std::string>;

TEST(Url, IsAPathAlone) {
  EXPECT_EQ(parse_url("").path, "");
  EXPECT_EQ(parse_url("a b/c.db").path, "a b/c.db");
  EXPECT_TRUE(parse_url("a.db?").parameters.empty());
}

TEST(Url, HasParameters) {
  const auto url = parse_url("a.db?queue=jobs&synchronous=full&empty=");
  EXPECT_EQ(url.path, "a.db");
  EXPECT_EQ(url.parameters,
            (Parameters{{"queue", "jobs"}, {"synchronous", "full"}, {"empty", ""}}));
}

TEST(Url, IsUnescaped) {
  const auto url = parse_url("what%3F%25.db?queue=a%26b%3dc");
  EXPECT_EQ(url.path, "what?%.db");
  EXPECT_EQ(url.parameters, (Parameters{{"queue", "a&b=c"}}));
  EXPECT_EQ(parse_url("%00").path, std::string(1, '\0'));
}

TEST(Url, IsRefusedWhereItIsBroken) {
  for (const char* const broken :
       {"%", "%4", "%4g", "a%zz", "a?%", "a?b", "a?=b", "a?b=1&b=2", "a?b=1&&c=2"}) {
    EXPECT_THROW(parse_url(broken), std::invalid_argument) << broken;
  }
}

}  // namespace
}  // namespace fairlane::common
