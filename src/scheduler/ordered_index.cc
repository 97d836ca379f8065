#include "scheduler/ordered_index.h"

#include <algorithm>
#include <iterator>
#include <new>

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
  if (row_.capacity() - row_.size() < blocks + 1) {
    row_.reserve(std::max(row_.size() * 2, row_.size() + blocks + 1));
  }
  if (row_.empty()) row_.push_back({{}, std::make_unique<Block>()});
}

std::unique_ptr<OrderedIndex::Block> OrderedIndex::take_spare() noexcept {
  auto block = std::move(spare_.back());
  spare_.pop_back();
  block->begin = block->end = 0;
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
  if (size_ == 0) {
    row_[at].block->begin = row_[at].block->end = 0;
    return;
  }
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
    shrink_row();
  }
}

void OrderedIndex::shrink_row() noexcept {
  constexpr std::size_t small = 64;
  if (row_.capacity() <= small || row_.size() >= row_.capacity() / 8) return;
  try {
    std::vector<Place> shorter;
    shorter.reserve(row_.capacity() / 4);
    std::move(row_.begin(), row_.end(), std::back_inserter(shorter));
    row_ = std::move(shorter);
  } catch (const std::bad_alloc&) {
    // The longer row goes on serving.
  }
}

void OrderedIndex::split(std::size_t at) noexcept {
  Block& full = *row_[at].block;
  auto upper = take_spare();
  const std::uint32_t middle = full.begin + full.size() / 2;
  std::copy(full.entries + middle, full.entries + full.end, upper->entries);
  upper->end = full.end - middle;
  full.end = middle;
  const OrderKey lowest = upper->entries[0].key;
  insert_into_row(at + 1, lowest, std::move(upper));
}

void OrderedIndex::insert_anywhere(OrderKey key, Group* group) noexcept {
  std::size_t at = find_block(key);
  Block* block = row_[at].block.get();
  const bool is_tail = at + 1 == row_.size() && block->entries[block->end - 1].key < key;
  if (is_tail && block->begin == 0) {  // The usual way to grow: full blocks, one after the other.
    auto next = take_spare();
    next->entries[next->end++] = {key, group};
    insert_into_row(at + 1, key, std::move(next));
    ++size_;
    return;
  }
  if (block->size() == block_entries) {
    split(at);
    at = find_block(key);
    block = row_[at].block.get();
  }
  row_[at].lowest = std::min(row_[at].lowest, key);
  insert_into_block(*block, {key, group});
  ++size_;
}

void OrderedIndex::insert_into_block(Block& block, const Entry& entry) noexcept {
  Entry* const begin = block.entries + block.begin;
  Entry* const end = block.entries + block.end;
  Entry* const place = std::lower_bound(begin, end, entry.key, by_key);
  const bool left_is_shorter = block.begin > 0 && place - begin < end - place;
  if (block.end == block_entries || left_is_shorter) {
    std::move(begin, place, begin - 1);
    --block.begin;
    *(place - 1) = entry;
  } else {
    std::move_backward(place, end, end + 1);
    ++block.end;
    *place = entry;
  }
}

void OrderedIndex::erase_anywhere(OrderKey key) noexcept {
  const std::size_t at = find_block(key);
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
