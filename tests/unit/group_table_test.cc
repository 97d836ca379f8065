#include "scheduler/group_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "scheduler/records.h"
#include "support/seed.h"

namespace fairlane::scheduler {
namespace {

class GroupTableTest : public testing::Test {
 protected:
  ~GroupTableTest() override {
    for (const auto& [id, group] : groups_) detail::GroupId::destroy(group);
  }

  /// Hashes collide on purpose: few values, all in one corner of the table.
  static std::uint32_t hash(const std::string& id) {
    return static_cast<std::uint32_t>(std::hash<std::string>{}(id) % 7);
  }

  Group* find(const std::string& id) {
    return table_.find(hash(id), [&](const Group& group) { return group.view() == id; });
  }

  void insert(const std::string& id) {
    Group* const group = Group::create(id);
    groups_.emplace(id, group);
    table_.reserve(1);
    table_.insert(hash(id), group);
  }

  void erase(const std::string& id) {
    Group* const group = groups_.at(id);
    table_.erase(hash(id), group);
    groups_.erase(id);
    detail::GroupId::destroy(group);
  }

  GroupTable table_;
  std::map<std::string, Group*> groups_;
};

TEST_F(GroupTableTest, FindsWhatWasInsertedAndNothingElseThoughHashesCollide) {
  std::mt19937_64 random(test::seed());
  for (int step = 0; step < 50'000; ++step) {
    const auto id = std::to_string(random() % 200);
    if (!groups_.contains(id)) {
      ASSERT_EQ(find(id), nullptr);
      insert(id);
    } else if (random() % 2 == 0) {
      erase(id);
      ASSERT_EQ(find(id), nullptr);
    }
    ASSERT_EQ(table_.size(), groups_.size());
  }
  for (const auto& [id, group] : groups_) EXPECT_EQ(find(id), group);
}

TEST_F(GroupTableTest, VisitsEachGroupOnce) {
  for (int i = 0; i < 100; ++i) insert(std::to_string(i));
  std::map<Group*, int> visits;
  table_.for_each([&](Group* group) { ++visits[group]; });
  EXPECT_EQ(visits.size(), 100U);
  for (const auto& [group, count] : visits) EXPECT_EQ(count, 1);
}

TEST_F(GroupTableTest, TellsApartIdsWithZeroBytes) {
  insert(std::string("a\0b", 3));
  insert("a");
  insert("");
  EXPECT_EQ(find(std::string("a\0c", 3)), nullptr);
  EXPECT_EQ(find(std::string("a\0b", 3)), groups_.at(std::string("a\0b", 3)));
  EXPECT_EQ(find(""), groups_.at(""));
}

}  // namespace
}  // namespace fairlane::scheduler
