#include "queue/token.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "fairlane/options.h"
#include "text/base64.h"

namespace fairlane::command {
namespace {

Lease<Bytes> lease_of(LeaseKey key, std::string_view group) {
  return {key, Instant(), detail::Shared<detail::GroupId>::adopt(detail::GroupId::create(group)),
          EventRef<Bytes>()};
}

void expect_comes_back(LeaseKey key, std::string_view group) {
  const auto lease = from_token(to_token(lease_of(key, group)));
  EXPECT_EQ(lease.key().store, key.store);
  EXPECT_EQ(lease.key().fence, key.fence);
  EXPECT_EQ(lease.key().seq, key.seq);
  EXPECT_EQ(lease.key().attempt, key.attempt);
  EXPECT_EQ(lease.group_id(), group);
}

void expect_refused(const std::string& token) {
  EXPECT_THROW(from_token(token), std::invalid_argument) << token;
}

TEST(TokenTest, NamesTheClaimWhole) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  expect_comes_back({1, 2, 3, 4}, "group");
  expect_comes_back({most, most, most, std::numeric_limits<std::uint32_t>::max()}, "");
  expect_comes_back({0, 1, 0, 0}, std::string("\0\xff\n", 3));
  expect_comes_back({7, 8, 9, 1}, std::string(max_group_id_bytes, 'x'));
}

TEST(TokenTest, StaysWhatItIsBetweenVersions) {
  // Scripts keep tokens: this one was made by the first version.
  const std::string token = "AQAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAwAAAARncm91cFx-usU";
  EXPECT_EQ(to_token(lease_of({1, 2, 3, 4}, "group")), token);
  EXPECT_EQ(from_token(token).fence(), 2u);
}

TEST(TokenTest, BeginsLikeNoOption) {
  EXPECT_EQ(to_token(lease_of({std::numeric_limits<std::uint64_t>::max(), 1, 1, 1}, "g"))[0], 'A');
}

TEST(TokenTest, RefusesEveryMistypedLetter) {
  const auto token = to_token(lease_of({0x1234567890abcdef, 42, 7, 1}, "order-1"));
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (const char other : {'A', 'B', 'z', '0', '-', '_', '=', ' ', '\0', '\xff'}) {
      if (token[i] == other) continue;
      std::string mistyped = token;
      mistyped[i] = other;
      expect_refused(mistyped);
    }
    if (i + 1 < token.size() && token[i] != token[i + 1]) {
      std::string swapped = token;
      std::swap(swapped[i], swapped[i + 1]);
      expect_refused(swapped);
    }
  }
}

TEST(TokenTest, RefusesWhatWasCutOffOrAddedTo) {
  const auto token = to_token(lease_of({1, 2, 3, 4}, "group"));
  for (std::size_t size = 0; size < token.size(); ++size) expect_refused(token.substr(0, size));
  for (const std::string more : {"A", "AA", "AAA", "AAAA", "=", "\n"}) expect_refused(token + more);
  expect_refused(std::string(100'000'000, 'A'));
}

TEST(TokenTest, RefusesANewerVersionAndAGroupThatCannotBe) {
  const auto with_checksum = [](std::string bytes) {
    // The checksum of zlib and PNG, bit by bit.
    std::uint32_t sum = 0xffffffff;
    for (const char byte : bytes) {
      sum ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
    }
    sum = ~sum;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(sum >> shift & 0xffU);
    return text::to_base64(bytes, text::Base64::url);
  };
  EXPECT_NO_THROW(from_token(with_checksum("\x01" + std::string(28, 'k') + "group")));
  expect_refused(with_checksum("\x02" + std::string(28, 'k') + "group"));
  expect_refused(with_checksum("\x01" + std::string(27, 'k')));
  expect_refused(with_checksum("\x01" + std::string(28 + max_group_id_bytes + 1, 'k')));
}

TEST(TokenTest, RefusesNoise) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    std::string noise(random() % 120, '\0');
    for (char& c : noise) {
      c = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[random() % 64];
    }
    expect_refused(noise);
  }
}

TEST(TokenTest, ShowsOnlyTheBeginningOfWhatItRefuses) {
  EXPECT_THAT([] { from_token(std::string(100'000, 'q')); },
              ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("qqq...")));
}

}  // namespace
}  // namespace fairlane::command
