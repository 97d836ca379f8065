// The active groups in byte order of their ids, for listings in pages.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/control.h"
#include "fairlane/detail/shared_node.h"

namespace fairlane::scheduler {

/// Costs nothing until somebody lists: then it is built once and kept up to date, so that later
/// pages are cheap on big stores. Threads: guarded by the owner.
class GroupListing {
 public:
  bool is_built() const noexcept { return built_; }

  /// Strong guarantee.
  template <class ForEachId>
  void build(ForEachId for_each_id) {
    std::set<const detail::GroupId*, ByteOrder> ids;
    for_each_id([&](const detail::GroupId* id) { ids.insert(id); });
    ids_.swap(ids);
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

  std::set<const detail::GroupId*, ByteOrder> ids_;
  bool built_ = false;
};

}  // namespace fairlane::scheduler
