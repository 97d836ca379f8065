// Drained groups leave no memory behind (I6): counted at the allocator of this program.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "fairlane/in_memory_transport.h"

namespace {

std::atomic<std::int64_t> live_bytes{0};

// The size stands before the block, at the largest alignment that plain `new` has to keep.
constexpr std::size_t header_bytes = alignof(std::max_align_t);

void* allocate(std::size_t bytes) {
  auto* block = static_cast<char*>(std::malloc(bytes + header_bytes));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block) = bytes;
  live_bytes += static_cast<std::int64_t>(bytes);
  return block + header_bytes;
}

void deallocate(void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto* block = static_cast<char*>(pointer) - header_bytes;
  live_bytes -= static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(block));
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* pointer) noexcept { deallocate(pointer); }
void operator delete[](void* pointer) noexcept { deallocate(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { deallocate(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { deallocate(pointer); }

namespace fairlane {
namespace {

using namespace std::chrono_literals;

constexpr int groups = 1'000'000;

/// Bytes that are held now and were not at the `start`.
std::int64_t held_since(std::int64_t start) { return live_bytes.load() - start; }

void touch_groups_once(InMemoryTransport<Bytes>& store) {
  for (int i = 0; i < groups; ++i) store.publish("group-" + std::to_string(i), Bytes());
}

class MemoryOfAMillionGroups : public ::testing::Test {
 protected:
  /// A store may keep a little for its next messages: far less than it held.
  void expect_given_back() {
    const auto held = held_since(start_);
    EXPECT_LT(held, full_ / 10) << "of " << full_;
    EXPECT_LT(held, std::int64_t{1} << 20) << "of " << full_;
  }
  void fill() {
    touch_groups_once(store_);
    full_ = held_since(start_);
    EXPECT_GT(full_, groups);
  }

  InMemoryTransport<Bytes> store_;
  std::int64_t start_ = live_bytes.load();
  std::int64_t full_ = 0;
};

TEST_F(MemoryOfAMillionGroups, IsGivenBackWhenTheyAreAcked) {
  fill();
  while (const auto lease = store_.claim("worker", 1h)) {
    ASSERT_EQ(store_.ack(*lease), Settled::done);
  }
  expect_given_back();
}

TEST_F(MemoryOfAMillionGroups, IsGivenBackWhenTheyAreTerminated) {
  fill();
  for (int i = 0; i < groups; ++i) store_.control().terminate("group-" + std::to_string(i));
  expect_given_back();
}

TEST_F(MemoryOfAMillionGroups, IsNotNeededToTouchThemOneAfterTheOther) {
  std::int64_t most = 0;
  full_ = std::int64_t{1} << 30;
  for (int i = 0; i < groups; ++i) {
    store_.publish("group-" + std::to_string(i), Bytes());
    const auto lease = store_.claim("worker", 10h);
    ASSERT_EQ(store_.ack(*lease), Settled::done);
    most = std::max(most, held_since(start_));
  }
  EXPECT_LT(most, std::int64_t{1} << 20);
  expect_given_back();
}

TEST_F(MemoryOfAMillionGroups, IsGivenBackAfterSuspendingAndResumingThem) {
  for (int i = 0; i < groups; ++i) store_.control().suspend("group-" + std::to_string(i));
  full_ = held_since(start_);
  EXPECT_GT(full_, groups);
  for (int i = 0; i < groups; ++i) store_.control().resume("group-" + std::to_string(i));
  expect_given_back();
}

}  // namespace
}  // namespace fairlane
