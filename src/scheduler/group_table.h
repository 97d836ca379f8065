// From a group's id to its slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/slot_pool.h"

namespace fairlane::scheduler {

/// An open-addressing hash table of slots. A cell holds 32 bits of the hash beside the slot, so a
/// look-up reads one cache line of the table and then, nearly always, only the right record.
///
/// It does not know ids: the caller compares. Threads: guarded by the owner.
class GroupTable {
 public:
  /// The slot for which `same(slot)` holds among those entered with `hash`, else `no_slot`.
  template <class Same>
  Slot find(std::uint32_t hash, Same same) const noexcept {
    if (cells_.empty()) return no_slot;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.slot == no_slot) return no_slot;
      if (cell.hash == hash && same(cell.slot)) return cell.slot;
    }
  }

  /// Makes room for `more` insertions, which then do not fail. Strong guarantee.
  void reserve(std::size_t more);

  /// Room for it has been reserved, and no equal id is there.
  void insert(std::uint32_t hash, Slot slot) noexcept;
  void erase(std::uint32_t hash, Slot slot) noexcept;

  std::size_t size() const noexcept { return size_; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& cell : cells_) {
      if (cell.slot != no_slot) visit(cell.slot);
    }
  }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    Slot slot = no_slot;
  };

  std::size_t mask() const noexcept { return cells_.size() - 1; }
  void rehash(std::size_t capacity);

  std::vector<Cell> cells_;  // A power of two, at most three quarters of it used.
  std::size_t size_ = 0;
};

}  // namespace fairlane::scheduler
