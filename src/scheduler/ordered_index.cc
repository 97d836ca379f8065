#include "scheduler/ordered_index.h"

#include <algorithm>

namespace fairlane::scheduler {

namespace {

// Kept for reuse: enough that a queue that swings around the edge of a block allocates nothing.
constexpr std::size_t max_spare = 4;

constexpr auto by_key = [](const OrderedIndex::Entry& entry, OrderKey key) {
  return entry.key < key;
};

}  // namespace

void OrderedIndex::grow(std::size_t blocks) {
  spare_.reserve(std::max(blocks, max_spare));
  while (spare_.size() < blocks) spare_.push_back(std::make_unique<Block>());
  if (row_.capacity() - row_.size() >= blocks) return;
  row_.reserve(std::max(row_.size() * 2, row_.size() + blocks));
}

std::unique_ptr<OrderedIndex::Block> OrderedIndex::take_spare(std::uint32_t position) noexcept {
  auto block = std::move(spare_.back());
  spare_.pop_back();
  block->begin = block->end = position;
  return block;
}

void OrderedIndex::give_spare(std::unique_ptr<Block> block) noexcept {
  if (spare_.size() < max_spare && spare_.size() < spare_.capacity()) {
    spare_.push_back(std::move(block));
  }
}

std::size_t OrderedIndex::find_block(OrderKey key) const noexcept {
  if (row_.back().lowest <= key) return row_.size() - 1;
  const auto begin = row_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto after = std::upper_bound(
      begin, row_.end(), key, [](OrderKey k, const Place& place) { return k < place.lowest; });
  return after == begin ? first_ : static_cast<std::size_t>(after - row_.begin()) - 1;
}

void OrderedIndex::insert_into_row(std::size_t at, OrderKey lowest,
                                   std::unique_ptr<Block> block) noexcept {
  if (at == first_ && first_ > 0) {
    row_[--first_] = {lowest, std::move(block)};
    return;
  }
  row_.insert(row_.begin() + static_cast<std::ptrdiff_t>(at), Place{lowest, std::move(block)});
}

void OrderedIndex::erase_from_row(std::size_t at) noexcept {
  give_spare(std::move(row_[at].block));
  if (at != first_) {
    row_.erase(row_.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  ++first_;
  // Close the gap at the front once it is as long as the rest: a constant cost for each block.
  if (first_ >= row_.size() - first_) {
    row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    if (row_.capacity() > 64 && row_.size() < row_.capacity() / 8) {
      std::vector<Place> smaller;
      try {
        smaller.reserve(row_.capacity() / 4);
      } catch (const std::bad_alloc&) {
        return;
      }
      std::move(row_.begin(), row_.end(), std::back_inserter(smaller));
      row_ = std::move(smaller);
    }
  }
}

void OrderedIndex::split(std::size_t at) noexcept {
  Block& full = *row_[at].block;
  auto upper = take_spare(0);
  const std::uint32_t middle = full.begin + full.size() / 2;
  std::copy(full.entries + middle, full.entries + full.end, upper->entries);
  upper->end = full.end - middle;
  full.end = middle;
  const OrderKey lowest = upper->entries[0].key;
  insert_into_row(at + 1, lowest, std::move(upper));
}

void OrderedIndex::insert(OrderKey key, Slot slot) noexcept {
  ++size_;
  if (first_ == row_.size()) {
    auto block = take_spare(0);
    block->entries[block->end++] = {key, slot};
    insert_into_row(row_.size(), key, std::move(block));
    return;
  }
  std::size_t at = find_block(key);
  Block* block = row_[at].block.get();
  if (block->size() == 0 || block->entries[block->end - 1].key < key) {
    if (block->end < block_entries) {
      block->entries[block->end++] = {key, slot};
      return;
    }
    if (at + 1 == row_.size()) {  // The usual way to grow: full blocks, one after the other.
      auto next = take_spare(0);
      next->entries[next->end++] = {key, slot};
      insert_into_row(at + 1, key, std::move(next));
      return;
    }
  }
  if (block->size() == block_entries) {
    split(at);
    at = find_block(key);
    block = row_[at].block.get();
  }
  row_[at].lowest = std::min(row_[at].lowest, key);
  Entry* const begin = block->entries + block->begin;
  Entry* const end = block->entries + block->end;
  Entry* const place = std::lower_bound(begin, end, key, by_key);
  const bool shift_left =
      block->end == block_entries || (block->begin > 0 && place - begin < end - place);
  if (shift_left) {
    std::move(begin, place, begin - 1);
    --block->begin;
    *(place - 1) = {key, slot};
  } else {
    std::move_backward(place, end, end + 1);
    ++block->end;
    *place = {key, slot};
  }
}

void OrderedIndex::erase(OrderKey key) noexcept {
  const std::size_t at = front().key == key ? first_ : find_block(key);
  Block& block = *row_[at].block;
  Entry* const begin = block.entries + block.begin;
  Entry* const end = block.entries + block.end;
  Entry* const place = std::lower_bound(begin, end, key, by_key);
  if (place - begin < end - place) {
    std::move_backward(begin, place, place + 1);
    ++block.begin;
  } else {
    std::move(place + 1, end, place);
    --block.end;
  }
  --size_;
  if (block.size() == 0) {
    erase_from_row(at);
  } else if (block.size() <= block_entries / 8) {
    merge_with_next(at);
  }
}

void OrderedIndex::merge_with_next(std::size_t at) noexcept {
  if (at == first_ || at + 1 >= row_.size()) return;  // The ends empty by themselves.
  Block& block = *row_[at].block;
  Block& next = *row_[at + 1].block;
  if (block.size() + next.size() > block_entries / 2) return;
  std::copy(block.entries + block.begin, block.entries + block.end, block.entries);
  block.end -= block.begin;
  block.begin = 0;
  std::copy(next.entries + next.begin, next.entries + next.end, block.entries + block.end);
  block.end += next.size();
  erase_from_row(at + 1);
}

}  // namespace fairlane::scheduler
