// A command joins what waits to be sent as a whole, or not at all: memory runs out in the middle.
#include "redis/command.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>

namespace {

std::size_t largest_block = std::numeric_limits<std::size_t>::max();

void* allocate(std::size_t bytes) {
  void* const block = bytes <= largest_block ? std::malloc(bytes) : nullptr;
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete[](void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { std::free(pointer); }

namespace fairlane::redis {
namespace {

TEST(CommandTest, GoesOverTheWireAsCountsAndWords) {
  Command command{"SET", std::string_view("a\0b", 3)};
  command.add(-9'223'372'036'854'775'807 - 1).add(0).add("").add(std::string_view());
  std::string out = "before";
  command.append_to(out);
  EXPECT_EQ(out, std::string("before*6\r\n$3\r\nSET\r\n$3\r\na\0b\r\n"
                             "$20\r\n-9223372036854775808\r\n$1\r\n0\r\n$0\r\n\r\n$0\r\n\r\n",
                             74));
}

TEST(CommandTest, OneForWhichThereIsNoMemoryLeavesNothingBehind) {
  const Command command{"SET", std::string(1'000'000, 'x')};
  std::string out = "before";
  largest_block = 100'000;
  EXPECT_THROW(command.append_to(out), std::bad_alloc);
  largest_block = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(out, "before");
}

}  // namespace
}  // namespace fairlane::redis
