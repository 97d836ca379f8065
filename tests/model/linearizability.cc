// The search of Wing and Gong, with a memory of the states that led nowhere (Lowe).
#include "linearizability.h"

#include <stdexcept>
#include <string>
#include <unordered_set>

namespace fairlane::model {
namespace {

class Search {
 public:
  explicit Search(const std::vector<RecordedCall>& calls) : calls_(calls) {}

  bool finish_from(const SlowModel& model, std::uint64_t taken) {
    if (order_.size() == calls_.size()) return true;
    if (!visited_.insert(std::to_string(taken) + '/' + model.fingerprint()).second) return false;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (may_be_next(i, taken) && take(model, taken, i)) return true;
    }
    return false;
  }

  std::vector<std::size_t> order() && { return std::move(order_); }

 private:
  /// A call may come next if no other open call returned before it was called.
  bool may_be_next(std::size_t next, std::uint64_t taken) const {
    if ((taken >> next & 1) != 0) return false;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const bool open = (taken >> i & 1) == 0;
      if (open && calls_[i].returned_at < calls_[next].called_at) return false;
    }
    return true;
  }

  bool take(const SlowModel& model, std::uint64_t taken, std::size_t next) {
    const auto& call = calls_[next];
    for (const auto reading : call.readings) {
      SlowModel after = model;
      after.set_clock(reading);
      if (!(after.apply(call.operation) == call.outcome)) continue;
      order_.push_back(next);
      if (finish_from(after, taken | std::uint64_t{1} << next)) return true;
      order_.pop_back();
    }
    return false;
  }

  const std::vector<RecordedCall>& calls_;
  std::vector<std::size_t> order_;
  std::unordered_set<std::string> visited_;
};

}  // namespace

std::optional<std::vector<std::size_t>> linearize(const SlowModel& start,
                                                  const std::vector<RecordedCall>& calls) {
  if (calls.size() > 64) throw std::invalid_argument("more than 64 calls");
  Search search(calls);
  if (!search.finish_from(start, 0)) return std::nullopt;
  return std::move(search).order();
}

}  // namespace fairlane::model
