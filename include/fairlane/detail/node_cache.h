// Memory of event nodes, reused by the thread that freed it. Not for direct use.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace fairlane::detail {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool reuse_nodes = false;  // So that a use after free is seen.
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool reuse_nodes = false;
#else
inline constexpr bool reuse_nodes = true;
#endif
#else
inline constexpr bool reuse_nodes = true;
#endif

/// A few blocks of `size` bytes for each thread: in the steady state publishing allocates nothing.
/// Independent of any transport, since leases may outlive it. Threads: any.
template <std::size_t size>
class NodeCache {
 public:
  static void* allocate() {
    if (Blocks& blocks = mine(); reuse_nodes && blocks.count > 0) {
      return blocks.free[--blocks.count];
    }
    return ::operator new(size);
  }

  static void release(void* block) noexcept {
    Blocks& blocks = mine();
    if (reuse_nodes && blocks.open && blocks.count < blocks.free.size()) {
      blocks.free[blocks.count++] = block;
    } else {
      release_slowly(blocks, block);
    }
  }

 private:
  /// Needs no destruction, so it can be used as long as its thread lives.
  struct Blocks {
    std::array<void*, 64> free;
    std::size_t count;
    bool open;    // Between the thread's first release and the end of its thread-locals.
    bool closed;  // After that.
  };

  /// Gives the blocks back when the thread ends.
  struct Guard {
    Guard() noexcept { mine().open = true; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      Blocks& blocks = mine();
      blocks.open = false;
      blocks.closed = true;
      while (blocks.count > 0) ::operator delete(blocks.free[--blocks.count]);
    }
  };

  static Blocks& mine() noexcept {
    static thread_local constinit Blocks blocks{};
    return blocks;
  }

  static void release_slowly(Blocks& blocks, void* block) noexcept {
    if (!blocks.closed) [[maybe_unused]]
      static thread_local const Guard guard;
    ::operator delete(block);
  }
};

}  // namespace fairlane::detail
