#include "scheduler/group_table.h"

#include <algorithm>
#include <bit>
#include <new>

namespace fairlane::scheduler {

namespace {
constexpr std::size_t min_capacity = 16;
}

void GroupTable::reserve(std::size_t more) {
  const std::size_t needed = size_ + more;
  if (needed <= cells_.size() / 4 * 3) return;
  rehash(std::bit_ceil(std::max(min_capacity, needed * 4 / 3 + 1)));
}

void GroupTable::insert(std::uint32_t hash, Group* group) noexcept {
  std::size_t at = hash & mask();
  while (cells_[at].group != nullptr) at = (at + 1) & mask();
  cells_[at] = {hash, group};
  ++size_;
}

void GroupTable::erase(std::uint32_t hash, Group* group) noexcept {
  std::size_t hole = hash & mask();
  while (cells_[hole].group != group) hole = (hole + 1) & mask();
  // Move back what stands behind the hole and could not be found across it.
  for (std::size_t at = (hole + 1) & mask(); cells_[at].group != nullptr; at = (at + 1) & mask()) {
    const std::size_t home = cells_[at].hash & mask();
    if (((at - home) & mask()) >= ((at - hole) & mask())) {
      cells_[hole] = cells_[at];
      hole = at;
    }
  }
  cells_[hole] = {};
  --size_;
  if (cells_.size() > min_capacity && size_ < cells_.size() / 8) {
    try {
      rehash(cells_.size() / 2);
    } catch (const std::bad_alloc&) {
      // The larger table goes on serving.
    }
  }
}

Group* GroupTable::any() noexcept {
  if (size_ == 0) return nullptr;
  while (cells_[hint_ & mask()].group == nullptr) ++hint_;
  return cells_[hint_ & mask()].group;
}

void GroupTable::rehash(std::size_t capacity) {
  std::vector<Cell> old(capacity);
  old.swap(cells_);
  size_ = 0;
  for (const auto& cell : old) {
    if (cell.group != nullptr) insert(cell.hash, cell.group);
  }
}

}  // namespace fairlane::scheduler
