// Random operations that keep a small store busy at its boundaries.
#pragma once

#include <random>

#include "slow_model.h"

namespace fairlane::model {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// The next operation; `model` is asked what there is to act on.
  Operation next(const SlowModel& model);

  /// What the operation answered: its leases can be named from now on.
  void learn(const Operation& operation, const Outcome& outcome);

 private:
  std::uint64_t below(std::uint64_t bound);
  template <class T, std::size_t N>
  const T& any(const T (&values)[N]) {
    return values[below(N)];
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }

  Operation publishing(const SlowModel& model);
  Operation claiming();
  Operation settling();
  Operation controlling(const SlowModel& model);
  Operation looking();
  Operation passing();
  NewMessage message();
  std::string group();
  std::uint64_t lease();
  std::uint64_t dead_seq(const SlowModel& model);
  std::int64_t span();

  std::mt19937_64 random_;
  std::uint64_t last_event_ = 0;
  std::uint64_t next_name_ = 1;
  std::vector<std::uint64_t> leases_;
};

}  // namespace fairlane::model
