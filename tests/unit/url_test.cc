// What stands behind the scheme of a transport's URL.
#include "common/url.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fairlane/open.h"

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

TEST(ShownUrl, HidesWhoIsLetIn) {
  EXPECT_EQ(shown_url("sqlite:queue.db?queue=jobs"), "sqlite:queue.db?queue=jobs");
  EXPECT_EQ(shown_url("redis://host:6379/2"), "redis://host:6379/2");
  EXPECT_EQ(shown_url("redis://:secret@host"), "redis://***@host");
  for (const std::string password : {"secret", "se@cret", "se/cret", "se?cret#", "//"}) {
    const auto shown = shown_url("postgresql://user:" + password + "@host/db?queue=jobs");
    EXPECT_EQ(shown, "postgresql://***@host/db?queue=jobs");
  }
}

TEST(ShownUrl, HidesPasswordsAmongTheParameters) {
  EXPECT_EQ(shown_url("postgresql://host/db?password=secret&queue=jobs&sslpassword=secret"),
            "postgresql://host/db?password=***&queue=jobs&sslpassword=***");
}

TEST(ShownUrl, HidesThemInEachOfSeveralUrls) {
  EXPECT_EQ(shown_url("sharded:?0=redis://a:b@c&1=redis://d:e@f?password=g&2=sqlite:h"),
            "sharded:?0=redis://***@f?password=***&2=sqlite:h");
  EXPECT_EQ(shown_url("redis://a:b|c@d"), "redis://***@d");
}

template <class Call>
void expect_no_secret(Call call) {
  try {
    call();
    ADD_FAILURE() << "nothing was raised";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
  }
}

TEST(ShownUrl, IsWhatAnErrorShows) {
  expect_no_secret([] { open("nosuch://user:secret@host"); });
  for (const char* const broken :
       {"//user:secret%zz@host", "?0=redis://user:secret%zz@host", "?redis://user:secret@host"}) {
    expect_no_secret([&] { parse_url(broken); });
  }
}

}  // namespace
}  // namespace fairlane::common
