// The active groups in byte order of their ids, for listings in pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/control.h"
#include "fairlane/detail/shared_node.h"

namespace fairlane::scheduler {

/// Costs nothing until somebody lists: then it is built once and kept up to date, so that later
/// pages are cheap on big stores. Threads: guarded by the owner.
class GroupListing {
 public:
  bool is_built() const noexcept { return built_; }

  /// `ids` in any order. Strong guarantee.
  void build(const std::vector<const detail::GroupId*>& ids) {
    // Sorted by their first bytes first, most ids are never looked at: they are far apart.
    std::vector<std::pair<std::uint64_t, const detail::GroupId*>> sorted;
    sorted.reserve(ids.size());
    for (const auto* const id : ids) sorted.emplace_back(first_bytes(id->view()), id);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : ByteOrder()(a.second, b.second);
    });
    Ids built;
    for (const auto& [bytes, id] : sorted) built.emplace_hint(built.end(), id);
    ids_.swap(built);
    built_ = true;
  }

  void add(const detail::GroupId* id) {
    if (built_) ids_.insert(id);
  }
  void remove(const detail::GroupId* id) noexcept {
    if (built_) ids_.erase(id);
  }

  std::vector<std::string> page(const GroupQuery& query) const {
    std::vector<std::string> page;
    auto at = query.after ? ids_.upper_bound(*query.after) : ids_.begin();
    for (; at != ids_.end() && page.size() < query.limit; ++at) page.emplace_back((*at)->view());
    return page;
  }

 private:
  struct ByteOrder {
    using is_transparent = void;
    static std::string_view bytes(const detail::GroupId* id) noexcept { return id->view(); }
    static std::string_view bytes(std::string_view id) noexcept { return id; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      return bytes(a) < bytes(b);
    }
  };

  using Ids = std::set<const detail::GroupId*, ByteOrder>;

  /// The first eight bytes as a number that compares as they do.
  static std::uint64_t first_bytes(std::string_view id) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i) {
      number = (number << 8) | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0U);
    }
    return number;
  }

  Ids ids_;
  bool built_ = false;
};

}  // namespace fairlane::scheduler
