// Intrusively counted nodes: what messages, leases and listings share. Not for direct use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "fairlane/detail/node_cache.h"

namespace fairlane::detail {

/// Base of every counted node. A new node has one owner.
struct SharedNode {
  std::atomic<std::uint32_t> owners{1};

  void retain(std::uint32_t count = 1) noexcept {
    owners.fetch_add(count, std::memory_order_relaxed);
  }

  /// True if the caller was the last owner and has to destroy the node.
  bool release() noexcept { return release(1); }
  bool release(std::uint32_t count) noexcept {
    // Alone, nobody else can retain: the read-modify-write is not needed.
    if (owners.load(std::memory_order_acquire) == count) return true;
    return owners.fetch_sub(count, std::memory_order_acq_rel) == count;
  }
};

/// A pointer that shares a node. `Node` has `static void destroy(Node*) noexcept`.
template <class Node>
class Shared {
 public:
  Shared() noexcept = default;
  /// Takes over one ownership that the caller has.
  static Shared adopt(Node* node) noexcept {
    Shared shared;
    shared.node_ = node;
    return shared;
  }
  /// Adds one ownership.
  static Shared share(Node* node) noexcept {
    if (node != nullptr) node->retain();
    return adopt(node);
  }
  Shared(const Shared& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) node_->retain();
  }
  Shared(Shared&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() {
    if (node_ != nullptr && node_->release()) Node::destroy(node_);
  }

  Node* get() const noexcept { return node_; }
  Node* operator->() const noexcept { return node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  /// Gives the ownership to the caller.
  Node* detach() noexcept { return std::exchange(node_, nullptr); }

 private:
  Node* node_ = nullptr;
};

/// A group's id, shared by its record and by the leases of its messages. The bytes stand behind it
/// in one allocation; a store may keep its record of the group before it there.
struct GroupId : SharedNode {
  std::uint16_t size = 0;    ///< bytes of the id, which stand behind this object
  std::uint16_t prefix = 0;  ///< bytes of the allocation before this object, trivially destructible

  static GroupId* create(std::string_view bytes);
  static void destroy(GroupId* id) noexcept;
  std::string_view view() const noexcept { return {reinterpret_cast<const char*>(this + 1), size}; }
};

/// A message as a store in memory keeps it: a link of its group's chain, with the event behind it
/// in the same node. All but `owners` is guarded by the store that holds it.
struct MessageNode : SharedNode {
  std::uint32_t attempts : 31 = 0;  ///< claims so far
  std::uint32_t lent : 1 = 0;       ///< claimed before: see NodePublication
  MessageNode* next = nullptr;
  std::uint64_t next_seq = 0;  ///< of `next`: what the rotation needs when it becomes the head
  std::uint64_t seq = 0;
  std::int64_t published_at_ns = 0;
};

/// A published event, shared by its message and the leases of it. A new one has one owner.
template <class Event>
struct EventNode : MessageNode {
  explicit EventNode(Event&& from) noexcept(noexcept(Event(std::move(from))))
      : event(std::move(from)) {}
  explicit EventNode(const Event& from) : event(from) {}
  static void destroy(EventNode* node) noexcept { delete node; }

  static void* operator new(std::size_t) { return Memory::allocate(); }
  static void operator delete(void* block) noexcept { Memory::release(block); }

  Event event;

 private:
  // Overaligned nodes come from the allocator.
  struct Memory {
    static void* allocate() {
      if constexpr (alignof(EventNode) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        return ::operator new(sizeof(EventNode), std::align_val_t(alignof(EventNode)));
      } else {
        return NodeCache<sizeof(EventNode)>::allocate();
      }
    }
    static void release(void* block) noexcept {
      if constexpr (alignof(EventNode) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        ::operator delete(block, std::align_val_t(alignof(EventNode)));
      } else {
        NodeCache<sizeof(EventNode)>::release(block);
      }
    }
  };
};

}  // namespace fairlane::detail
