// The worker ids that records refer to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairlane::scheduler {

/// Each worker id once, counted by the records that name it, so that a claim copies no string.
/// Names that nobody refers to are forgotten in batches. Threads: guarded by the owner.
class WorkerNames {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0;

  WorkerNames() : entries_(1) {}

  /// One more reference to `name`. Strong guarantee.
  Number acquire(std::string_view name) {
    if (last_ == none || *entries_[last_].name != name) last_ = find_or_add(name);
    Entry& entry = entries_[last_];
    if (entry.references++ == 0) --idle_;
    return last_;
  }

  void release(Number number) noexcept {
    if (number == none) return;
    if (--entries_[number].references == 0 && ++idle_ > max_idle) forget_idle();
  }

  std::string_view name(Number number) const noexcept {
    return number == none ? std::string_view() : *entries_[number].name;
  }

 private:
  struct Entry {
    const std::string* name = nullptr;  // The key in numbers_; null: free.
    std::uint32_t references = 0;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  static constexpr std::size_t max_idle = 64;

  Number find_or_add(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    if (free_.empty()) {
      entries_.emplace_back();
      free_.reserve(entries_.size());
      free_.push_back(static_cast<Number>(entries_.size() - 1));
    }
    const Number number = free_.back();
    entries_[number].name = &numbers_.emplace(name, number).first->first;
    free_.pop_back();
    ++idle_;
    return number;
  }

  void forget_idle() noexcept {
    for (Number number = 1; number < entries_.size(); ++number) {
      Entry& entry = entries_[number];
      if (entry.name == nullptr || entry.references != 0) continue;
      numbers_.erase(numbers_.find(*entry.name));
      entry.name = nullptr;
      free_.push_back(number);
    }
    idle_ = 0;
    last_ = none;
  }

  std::vector<Entry> entries_;
  std::vector<Number> free_;
  std::unordered_map<std::string, Number, Hash, std::equal_to<>> numbers_;
  std::size_t idle_ = 0;
  Number last_ = none;  // Most claims are by the worker that claimed last.
};

}  // namespace fairlane::scheduler
