// The control plane over all shards.
#pragma once

#include <string>
#include <vector>

#include "fairlane/control.h"
#include "sharded/shards.h"

namespace fairlane::sharded {

/// What names a group goes to its shard; listings ask all of them, and fail if one does.
class ShardedControl final : public Control<Bytes> {
 public:
  explicit ShardedControl(Shards& shards) : shards_(shards) {}

  void suspend(std::string_view group_id) override;
  void resume(std::string_view group_id) override;
  std::uint64_t terminate(std::string_view group_id) override;
  Cancelled cancel(std::string_view group_id, Bytes&& event) override;
  GroupInfo inspect(std::string_view group_id) override;
  std::vector<std::string> groups(const GroupQuery& query) override;
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit) override;
  Stats stats() override;
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after_seq) override;
  std::uint64_t redrive(std::uint64_t seq) override;
  void drop_dead(std::uint64_t seq) override;

 private:
  Shard& shard_of_dead(std::uint64_t seq) const;

  Shards& shards_;
};

}  // namespace fairlane::sharded
