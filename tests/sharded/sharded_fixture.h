// Three stores in memory behind one transport, under a clock that is moved by hand.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/in_memory_transport.h"
#include "fairlane/sharded_transport.h"
#include "fairlane/testing/faulty_transport.h"
#include "fairlane/testing/manual_clock.h"

namespace fairlane::sharded {

using std::chrono::seconds;

inline constexpr std::array<std::uint32_t, 3> numbers{0, 1, 7};
/// What stands in front of the seqs of the shard at `index`.
constexpr std::uint64_t seq_of(std::size_t index, std::uint64_t seq) {
  return numbers[index] * 1'000'000'000'000'000ULL + seq;
}

/// The `nth` group that is kept on the shard at `index` of `numbers`; for ever, as views want it.
inline const std::string& group_on(std::size_t index, std::size_t nth = 0) {
  static const auto* const all = [] {
    auto* const groups = new std::array<std::vector<std::string>, numbers.size()>;
    for (int i = 0; i < 100; ++i) {
      const std::string group = "g" + std::to_string(i);
      for (std::size_t at = 0; at < numbers.size(); ++at) {
        if (shard_of(group, numbers) == numbers[at]) (*groups)[at].push_back(group);
      }
    }
    return groups;
  }();
  return (*all).at(index).at(nth);
}

class ShardedTest : public ::testing::Test {
 protected:
  using Leased = std::optional<Lease<Bytes>>;
  using Memory = InMemoryTransport<Bytes>;
  using Faulty = testing::FaultyTransport<Bytes>;

  void SetUp() override { queue = make({}); }

  /// The stores are the fixture's, and the transport's the ways to them, which fail as told.
  std::unique_ptr<Transport<Bytes>> make(ShardedOptions options, const QueueOptions& rules = {}) {
    stores.clear();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      stores.push_back(
          std::make_unique<Memory>(InMemoryOptions<Bytes>{.queue = rules, .clock = clock}));
    }
    return around_the_stores(std::move(options));
  }
  /// Another transport over the same stores, as another process has it.
  std::unique_ptr<Transport<Bytes>> around_the_stores(ShardedOptions options) {
    faulty.clear();
    for (std::size_t i = numbers.size(); i-- > 0;) {  // The order makes no difference.
      auto way = std::make_unique<Faulty>(*stores[i]);
      faulty.insert(faulty.begin(), way.get());
      options.shards.push_back({.number = numbers[i], .transport = std::move(way)});
    }
    return open_sharded(std::move(options));
  }

  Leased claim(std::int32_t floor = 0) { return queue->claim("w", seconds(30), floor); }
  Lease<Bytes> take() {
    auto lease = claim();
    if (!lease) throw std::logic_error("nothing was claimable");
    return *std::move(lease);
  }

  template <class Call>
  static ErrorCode error_of(Call call) {
    try {
      call();
    } catch (const TransportError& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error was raised";
    return ErrorCode::not_found;
  }

  const std::shared_ptr<testing::ManualClock> clock =
      std::make_shared<testing::ManualClock>(Instant(seconds(3600)));
  std::vector<std::unique_ptr<Memory>> stores;
  std::vector<Faulty*> faulty;  // Of the transport opened last.
  std::unique_ptr<Transport<Bytes>> queue;
};

inline testing::FaultPlan always(testing::Verb failing, testing::Fault::Kind kind) {
  return [=](testing::Verb verb, std::uint64_t) {
    return testing::Fault{verb == failing ? kind : testing::Fault::Kind::none};
  };
}
/// Nothing goes through.
inline testing::FaultPlan down() {
  return [](testing::Verb, std::uint64_t) { return testing::Fault{testing::Fault::Kind::before}; };
}

}  // namespace fairlane::sharded
