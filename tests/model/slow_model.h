// The contract once more, simple and slow: what the transports are compared with. It shares no
// code with them; every answer is found by looking at everything.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "operation.h"

namespace fairlane::model {

/// Threads: none; a value that can be copied to try one thing and then another.
class SlowModel {
 public:
  explicit SlowModel(const QueueRules& rules = {}) : rules_(rules) {}

  Outcome apply(const Operation& operation);

  /// The clock now reads this; it may step back, the model's time does not.
  void set_clock(Instant reading) { clock_ = reading; }

  std::size_t queued() const;
  std::vector<std::uint64_t> dead_seqs() const;
  /// All of the state as text: equal if and only if the states are.
  std::string fingerprint() const;

 private:
  struct Message {
    std::uint64_t seq;
    std::string event;
    std::uint32_t attempts;
    Instant published_at;
  };
  struct Claim {
    std::uint64_t name;
    std::string worker;
    Instant expires_at;
  };
  struct Group {
    std::int32_t priority = 0;
    Instant last_claimed_at{};
    std::uint64_t place = 0;  ///< in the line of ready_order
    std::vector<Message> messages = {};
    std::optional<Claim> claim = std::nullopt;  ///< the current lease of the head
    std::optional<Instant> parked_until = std::nullopt;
  };
  using Groups = std::map<std::string, Group>;

  void let_time_act();
  bool leased(const Group& group) const;
  bool parked(const Group& group) const;
  bool exhausted(const Group& group) const;
  void give_up_head(const std::string& id, const std::string& reason, bool by_reject);
  void remove_head(const std::string& id);
  Groups::iterator holder(std::uint64_t lease);

  void judge(const Operation& operation) const;
  void judge_room(std::size_t in_all, std::size_t in_group) const;
  std::uint64_t store(const NewMessage& message);
  Outcome publish(const std::vector<NewMessage>& messages);
  Outcome publish_wait(const NewMessage& message);

  std::optional<LeaseView> take(const Operation& operation, std::uint64_t name);
  Outcome claim(const Operation& operation, std::size_t count);
  Settled settle(const Operation& operation, std::uint64_t lease);
  void act_through(const Operation& operation, Groups::iterator group);

  Outcome apply_control(const Operation& operation);
  Outcome cancel(const Operation& operation);
  Outcome inspect(const Operation& operation) const;
  Outcome list(const Operation& operation) const;
  Outcome peek(const Operation& operation) const;
  Outcome stats() const;
  Outcome list_dead(const Operation& operation) const;
  Outcome redrive(const Operation& operation);
  Outcome drop_dead(const Operation& operation);

  QueueRules rules_;
  Instant clock_{};
  Instant now_{};
  std::uint64_t last_seq_ = 0;
  std::uint64_t last_place_ = 0;
  bool closed_ = false;
  Groups groups_;
  std::set<std::string> suspended_;
  std::map<std::uint64_t, DeadView> dead_;
  Stats totals_;
};

}  // namespace fairlane::model
