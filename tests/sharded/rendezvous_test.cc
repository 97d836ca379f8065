// Which shard keeps a group: the same for ever, evenly, and moving no more than it must.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlane/sharded_transport.h"

namespace fairlane::sharded {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers first(std::uint32_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// As another implementation of XXH64 answers. Should this fail, the change would lose the groups of
// everyone who has shards.
TEST(Rendezvous, NeverChanges) {
  using namespace std::string_literals;
  const std::vector<std::string> groups{"",
                                        "a",
                                        "order-1",
                                        "order-2",
                                        "\0\xff"s,
                                        "device/7f3a",
                                        "0123456789abcdef0123456789abcdef",
                                        std::string(1024, 'x'),
                                        "Gr\xc3\xb6\xc3\x9f"
                                        "e"};
  const std::vector<std::pair<Numbers, Numbers>> known{
      {{0, 1}, {0, 1, 1, 0, 0, 1, 0, 1, 0}},
      {{0, 1, 2}, {0, 1, 1, 0, 0, 1, 2, 2, 2}},
      {first(8), {4, 4, 1, 5, 0, 3, 7, 2, 2}},
      {{3, 42, 999}, {999, 999, 3, 3, 3, 3, 3, 999, 42}}};
  for (const auto& [numbers, answers] : known) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      EXPECT_EQ(shard_of(groups[i], numbers), answers[i]) << numbers.size() << " " << groups[i];
    }
  }
}

TEST(Rendezvous, TakesTheShardsInAnyOrder) {
  for (int i = 0; i < 1000; ++i) {
    const std::string group = "g" + std::to_string(i);
    EXPECT_EQ(shard_of(group, Numbers{0, 5, 9}), shard_of(group, Numbers{9, 0, 5}));
  }
}

TEST(Rendezvous, SpreadsGroupsEvenly) {
  constexpr int groups = 40'000;
  for (const std::uint32_t count : {2U, 3U, 10U}) {
    std::map<std::uint32_t, int> kept;
    for (int i = 0; i < groups; ++i) ++kept[shard_of("device-" + std::to_string(i), first(count))];
    const double expected = static_cast<double>(groups) / count;
    for (const auto& [number, has] : kept) {
      EXPECT_NEAR(has, expected, expected * 0.06) << "shard " << number << " of " << count;
    }
  }
}

TEST(Rendezvous, ANewShardTakesItsShareAndMovesNothingElse) {
  constexpr int groups = 40'000;
  for (const std::uint32_t before : {1U, 3U, 9U}) {
    int moved = 0;
    for (int i = 0; i < groups; ++i) {
      const std::string group = "device-" + std::to_string(i);
      const auto is = shard_of(group, first(before));
      const auto will_be = shard_of(group, first(before + 1));
      if (is == will_be) continue;
      EXPECT_EQ(will_be, before) << "only to the new one";
      ++moved;
    }
    const double share = static_cast<double>(groups) / (before + 1);
    EXPECT_NEAR(moved, share, share * 0.06) << before;
  }
}

TEST(Rendezvous, WantsAShard) { EXPECT_THROW(shard_of("a", {}), std::invalid_argument); }

}  // namespace
}  // namespace fairlane::sharded
