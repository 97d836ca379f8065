// One queue into another, group by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/transport.h"

namespace fairlane::command {

/// Each group goes over as one batch, so it is in the other queue as a whole or not at all, and is
/// terminated in its own queue, if it is moved, only after that. Whatever ends a copy half-way,
/// nothing is lost: the same copy with `go_on` finds what is over already and continues.
///
/// What goes over: the messages of every group, in order, the group's priority, and the
/// suspensions. What does not: leases, parks and attempts (the messages are as new), seqs, the
/// places in the rotation (groups come in the order of their ids), dead letters, and the rules of
/// the queue.
///
/// Nobody publishes to, or claims from, either queue meanwhile. Memory: the largest group, two
/// or three times.
/// Threads: one at a time. Errors: `std::runtime_error` where it may not be done.
class Copier {
 public:
  struct Options {
    bool move = false;   ///< terminate each group once it is over
    bool force = false;  ///< also if messages are leased
    bool go_on = false;  ///< what an earlier copy brought over is not brought again
  };
  /// What became of a group: how many messages it has, and how many were over already.
  struct Copied {
    std::string_view group_id;
    std::uint64_t messages;
    std::uint64_t present;
  };
  using Tell = std::function<void(const Copied&)>;

  /// Both are borrowed as long as this object lives.
  Copier(Control<Bytes>& from, Transport<Bytes>& to, const Options& options)
      : from_(from), to_(to), options_(options) {}

  /// Refuses what would lose or double messages, before anything is changed.
  void check();
  /// Copies; `tell` is called after each group.
  void copy(const Tell& tell);

 private:
  using Messages = std::vector<QueuedMessage<Bytes>>;
  template <class Act>
  void for_each_group(bool suspended, Act act);
  void refuse_same_queue();
  void refuse_present(std::string_view group_id);
  Copied copy_group(std::string_view group_id);
  std::size_t count_present(std::string_view group_id, const Messages& messages);
  void publish(std::string_view group_id, const Messages& messages, std::size_t begin,
               std::int32_t priority);
  void terminate(std::string_view group_id, std::size_t messages);

  Control<Bytes>& from_;
  Transport<Bytes>& to_;
  const Options options_;
};

}  // namespace fairlane::command
