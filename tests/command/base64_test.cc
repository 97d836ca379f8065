#include "text/base64.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace fairlane::text {
namespace {

TEST(Base64Test, WritesWhatTheStandardShows) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64("\xfb\xff"), "+/8=");
  EXPECT_EQ(to_base64("\xfb\xff", Base64::url), "-_8");
}

TEST(Base64Test, ReadsBackWhatItWrote) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (const auto alphabet : {Base64::standard, Base64::url}) {
      EXPECT_EQ(from_base64(to_base64(bytes, alphabet), alphabet), bytes);
    }
  }
}

TEST(Base64Test, RefusesWhatItWouldNotWrite) {
  for (const std::string text : {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zh==", "Zm9=",
                                 "Zm9v=", "Zg==Zg==", "Zm 9", "Zm9\n", "Zm-_", "Zm9\xff"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
  for (const std::string text : {"Z", "Zg==", "Zh", "Zm9", "Zm+/", "Zm9vZ"}) {
    EXPECT_EQ(from_base64(text, Base64::url), std::nullopt) << text;
  }
  EXPECT_EQ(from_base64(std::string("Zm9\0", 4)), std::nullopt);
}

}  // namespace
}  // namespace fairlane::text
