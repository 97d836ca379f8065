// From a group's id to its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairlane::scheduler {

struct Group;

/// An open-addressing hash table. A cell holds 32 bits of the hash beside the record's address, so
/// a look-up reads one cache line of the table and then, nearly always, only the right record.
///
/// It does not know ids: the caller compares. Threads: guarded by the owner.
class GroupTable {
 public:
  /// The group for which `same(*group)` holds among those entered with `hash`, else null.
  template <class Same>
  Group* find(std::uint32_t hash, Same same) const noexcept {
    if (cells_.empty()) return nullptr;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.group == nullptr) return nullptr;
      if (cell.hash == hash && same(*cell.group)) return cell.group;
    }
  }

  /// Makes room for `more` insertions, which then do not fail. Strong guarantee.
  void reserve(std::size_t more);

  /// Room for it has been reserved, and no equal id is there.
  void insert(std::uint32_t hash, Group* group) noexcept;
  void erase(std::uint32_t hash, Group* group) noexcept;

  std::size_t size() const noexcept { return size_; }

  /// Some group; null if there is none. In a row of calls that each erase what they got, cheap.
  Group* any() noexcept;

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& cell : cells_) {
      if (cell.group != nullptr) visit(cell.group);
    }
  }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    Group* group = nullptr;
  };

  std::size_t mask() const noexcept { return cells_.size() - 1; }
  void rehash(std::size_t capacity);

  std::vector<Cell> cells_;  // A power of two, at most three quarters of it used.
  std::size_t size_ = 0;
  std::size_t hint_ = 0;  // Where `any` looks first.
};

}  // namespace fairlane::scheduler
