// What the options and the URL may be.
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/url.h"
#include "fairlane/detail/arguments.h"
#include "fairlane/sharded_transport.h"
#include "sharded/sharded_transport.h"

namespace fairlane {

namespace {

using sharded::max_number;

void check_numbers(const std::vector<ShardOptions>& shards) {
  if (shards.empty()) throw std::invalid_argument("a sharded transport has one shard at least");
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::uint32_t number = shards[i].number;
    if (number > max_number) {
      throw std::invalid_argument("a shard's number is 0 to " + std::to_string(max_number) +
                                  ", not " + std::to_string(number));
    }
    // The others are before it: the shards are in order.
    if (i > 0 && shards[i - 1].number == number) {
      throw std::invalid_argument("two shards have the number " + std::to_string(number));
    }
  }
}

std::unique_ptr<Transport<Bytes>> transport_of(ShardOptions& shard, const OpenOptions& options) {
  if ((shard.transport == nullptr) == shard.url.empty()) {
    throw std::invalid_argument("shard " + std::to_string(shard.number) +
                                " is given by a transport or by a URL, by one of them");
  }
  auto transport =
      shard.transport != nullptr ? std::move(shard.transport) : open(shard.url, options);
  if (dynamic_cast<sharded::ShardedTransport*>(transport.get()) == nullptr) return transport;
  // All its groups would be those that hash to this number, and crowd on few of its own shards.
  throw std::invalid_argument("shard " + std::to_string(shard.number) + " is sharded itself");
}

/// The number, written as it is printed.
std::uint32_t parse_number(const std::string& text) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && std::to_string(number) == text) return number;
  throw std::invalid_argument("sharded: does not know the parameter \"" + text +
                              "\"; it knows NUMBER=URL, batches=split");
}

std::unique_ptr<Transport<Bytes>> open_url(std::string_view rest, const OpenOptions& options) {
  auto url = common::parse_url(rest);
  if (!url.path.empty()) {
    throw std::invalid_argument("sharded: is followed by ?NUMBER=URL&NUMBER=URL.., not by \"" +
                                url.path + "\"");
  }
  ShardedOptions sharded{.open = options};
  for (auto& [name, value] : url.parameters) {
    if (name != "batches") {
      sharded.shards.push_back({.number = parse_number(name), .url = std::move(value)});
    } else if (value == "split") {
      sharded.split_batches = true;
    } else {
      throw std::invalid_argument("sharded: knows batches=split, not \"" + value + "\"");
    }
  }
  return open_sharded(std::move(sharded));
}

}  // namespace

std::unique_ptr<Transport<Bytes>> open_sharded(ShardedOptions options) {
  detail::check_duration(options.retry_interval, "retry_interval");
  std::sort(options.shards.begin(), options.shards.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  check_numbers(options.shards);
  std::vector<std::unique_ptr<sharded::Shard>> shards;
  shards.reserve(options.shards.size());
  for (auto& shard : options.shards) {
    shards.push_back(
        std::make_unique<sharded::Shard>(shard.number, transport_of(shard, options.open)));
  }
  return std::make_unique<sharded::ShardedTransport>(std::move(shards), options.retry_interval,
                                                     options.split_batches);
}

void register_sharded() { register_engine("sharded", open_url); }

}  // namespace fairlane
