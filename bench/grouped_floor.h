// The least that any ordered queue per key does: what our cycle is measured against.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace fairlane::bench {

/// One mutex, a FIFO per group, a line of groups that hold something; three lock acquisitions per
/// cycle as ours. No leases, no clock, no expiry, no priorities; drained groups stay in the map,
/// which spares it the allocations of groups that come and go.
/// Threads: any.
template <class Event>
class GroupedFloor {
  using Group = std::pair<const std::string, std::deque<Event>>;

 public:
  struct Claim {
    Group* group;
    Event event;
  };

  void publish(const std::string& group_id, const Event& event) {
    const std::lock_guard lock(mutex_);
    Group& group = *groups_.try_emplace(group_id).first;
    group.second.push_back(event);
    if (group.second.size() == 1) turn_.push_back(&group);
  }

  /// There has to be a group whose turn it is.
  Claim claim() {
    const std::lock_guard lock(mutex_);
    Group* const group = turn_.front();
    turn_.pop_front();
    return {group, group->second.front()};
  }

  void ack(const Claim& claim) {
    const std::lock_guard lock(mutex_);
    claim.group->second.pop_front();
    if (!claim.group->second.empty()) turn_.push_back(claim.group);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::deque<Event>> groups_;
  std::deque<Group*> turn_;
};

}  // namespace fairlane::bench
