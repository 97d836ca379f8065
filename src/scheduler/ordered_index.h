// An ordered set of groups whose work happens at its ends.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fairlane::scheduler {

struct Group;

/// What an index is ordered by; unique within one index.
struct OrderKey {
  std::int64_t major;
  std::uint64_t minor;
  friend constexpr auto operator<=>(const OrderKey&, const OrderKey&) noexcept = default;
};

/// Groups in the order of their keys: the claimable ones by rotation, those in flight by expiry.
///
/// Both are used like queues: keys arrive nearly in order and leave nearly from the front. So the
/// entries stand in a row of sorted blocks. Appending and taking the first touch one block that is
/// in the cache; any other place costs a binary search over the row, a move within one block, and,
/// once in half a block of such insertions, a move within the row: at 10^7 groups the row has 10^5
/// blocks. A tree would touch the records of groups that have nothing to do with the call.
///
/// Threads: guarded by the owner.
class OrderedIndex {
 public:
  struct Entry {
    OrderKey key;
    Group* group;
  };

  OrderedIndex() = default;
  OrderedIndex(OrderedIndex&&) noexcept = default;
  OrderedIndex& operator=(OrderedIndex&&) noexcept = default;

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// Makes sure that `more` insertions next to each other do not fail. Strong guarantee.
  void prepare(std::size_t more = 1) {
    const std::size_t blocks = more / (block_entries / 2) + 2;
    if (spare_.size() < blocks || row_.capacity() - row_.size() < blocks) grow(blocks);
  }

  /// Has been prepared for.
  void insert(OrderKey key, Group* group) noexcept {
    Block& last = *row_.back().block;
    if (last.end == block_entries || (size_ != 0 && key < last.entries[last.end - 1].key)) {
      return insert_anywhere(key, group);
    }
    if (size_++ == 0) row_.back().lowest = key;
    last.entries[last.end++] = {key, group};
  }

  /// The key is there.
  void erase(OrderKey key) noexcept {
    Block& last = *row_.back().block;
    if (front().key == key) {
      pop_front();
    } else if (last.entries[last.end - 1].key == key && last.size() > 1) {
      --last.end;
      --size_;
    } else {
      erase_anywhere(key);
    }
  }

  void pop_front() noexcept {
    Block& block = *row_[first_].block;
    --size_;
    if (++block.begin == block.end) erase_from_row(first_);
  }

  const Entry& front() const noexcept {
    const Block& block = *row_[first_].block;
    return block.entries[block.begin];
  }

  /// The group `ahead` places behind the front if it stands in the same block, else null.
  Group* peek(std::size_t ahead) const noexcept {
    const Block& block = *row_[first_].block;
    const std::size_t at = block.begin + ahead;
    return at < block.end ? block.entries[at].group : nullptr;
  }

  /// Calls `visit(entry)` from the front on until it returns false.
  template <class Visit>
  void visit_while(Visit visit) const {
    for (std::size_t at = first_; at < row_.size(); ++at) {
      const Block& block = *row_[at].block;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        if (!visit(block.entries[i])) return;
      }
    }
  }

 private:
  static constexpr std::uint32_t block_entries = 128;

  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    Entry entries[block_entries];
    std::uint32_t size() const noexcept { return end - begin; }
  };
  struct Place {
    OrderKey lowest;  // No key in the block is lower, and all in earlier blocks are.
    std::unique_ptr<Block> block;
  };

  void insert_anywhere(OrderKey key, Group* group) noexcept;
  void erase_anywhere(OrderKey key) noexcept;
  void grow(std::size_t blocks);
  std::unique_ptr<Block> take_spare() noexcept;
  void give_spare(std::unique_ptr<Block> block) noexcept;
  std::size_t find_block(OrderKey key) const noexcept;
  void insert_into_row(std::size_t at, OrderKey lowest, std::unique_ptr<Block> block) noexcept;
  void erase_from_row(std::size_t at) noexcept;
  void shrink_row() noexcept;
  static void insert_into_block(Block& block, const Entry& entry) noexcept;
  void split(std::size_t at) noexcept;
  void merge_with_next(std::size_t at) noexcept;

  // Of which those before first_ are gone. No block is empty, but the last one that is left.
  std::vector<Place> row_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Block>> spare_;
};

}  // namespace fairlane::scheduler
