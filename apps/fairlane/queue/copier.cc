#include "queue/copier.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace fairlane::command {

namespace {
constexpr std::size_t all_messages = std::numeric_limits<std::uint32_t>::max();
}  // namespace

template <class Act>
void Copier::for_each_group(bool suspended, Act act) {
  GroupQuery query{.suspended = suspended, .limit = 1000};
  for (std::string last;; query.after = last) {
    const auto page = from_.groups(query);
    for (const auto& group : page) act(group);
    if (page.size() < query.limit) return;
    last = page.back();
  }
}

void Copier::refuse_same_queue() {
  // Two URLs may name one queue: what is suspended through the one shows itself through the other.
  // The one may be a shard of the other, too, and share some groups only. That is found out by the
  // groups that are there already, but where those are expected: there many are tried.
  const int tries = options_.move && options_.go_on ? 64 : 1;
  std::random_device random;
  bool same = false;
  for (int i = 0; i < tries && !same; ++i) {
    const auto probe = fmt::format("fairlane copy {:08x}{:08x}", random(), random());
    from_.suspend(probe);
    same = to_.control().inspect(probe).suspended;
    from_.resume(probe);
  }
  if (same) throw std::runtime_error("FROM and TO are one queue, or share groups");
}

void Copier::refuse_present(std::string_view group_id) {
  if (to_.control().inspect(group_id).messages == 0) return;
  throw std::runtime_error(
      fmt::format("TO holds messages of group \"{}\" already; if an earlier copy was ended, go on "
                  "with --continue",
                  group_id));
}

void Copier::check() {
  refuse_same_queue();
  const auto leased = from_.stats().leased;
  if (leased > 0 && !options_.force) {
    throw std::runtime_error(fmt::format(
        "{} messages of FROM are leased: wait until they are settled, or --force", leased));
  }
  if (options_.go_on || to_.control().stats().groups == 0) return;
  for_each_group(false, [this](const std::string& group) { refuse_present(group); });
}

void Copier::copy(const Tell& tell) {
  // Before their messages, so that none is claimed there.
  for_each_group(true, [this](const std::string& group) { to_.control().suspend(group); });
  for_each_group(false, [&](const std::string& group) { tell(copy_group(group)); });
}

std::size_t Copier::count_present(std::string_view group_id, const Messages& messages) {
  const auto present = to_.control().peek(group_id, all_messages);
  const auto common = std::min(present.size(), messages.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (*present[i].event == *messages[i].event) continue;
    throw std::runtime_error(
        fmt::format("TO holds other messages of group \"{}\" than FROM", group_id));
  }
  return common;
}

void Copier::publish(std::string_view group_id, const Messages& messages, std::size_t begin,
                     std::int32_t priority) {
  std::vector<Publication<Bytes>> batch;
  batch.reserve(messages.size() - begin);
  for (std::size_t i = begin; i < messages.size(); ++i) {
    batch.push_back({group_id, Bytes(*messages[i].event), priority});
  }
  to_.publish_batch(batch);
}

Copier::Copied Copier::copy_group(std::string_view group_id) {
  Copied copied{group_id, 0, 0};
  if (!options_.go_on) refuse_present(group_id);
  const auto priority = from_.inspect(group_id).priority;
  for (bool again = options_.go_on;; again = true) {
    const auto messages = from_.peek(group_id, all_messages);
    const auto present = again ? count_present(group_id, messages) : 0;
    if (copied.messages == 0) copied.present = present;
    if (present < messages.size()) publish(group_id, messages, present, priority);
    copied.messages = messages.size();
    if (!options_.move) return copied;
    // Whoever publishes in spite of all gets one more round.
    if (from_.inspect(group_id).messages > messages.size()) continue;
    terminate(group_id, messages.size());
    return copied;
  }
}

void Copier::terminate(std::string_view group_id, std::size_t messages) {
  const auto dropped = from_.terminate(group_id);
  if (dropped <= messages) return;
  throw std::runtime_error(
      fmt::format("somebody published to group \"{}\" of FROM while it was moved: {} messages are "
                  "lost",
                  group_id, dropped - messages));
}

}  // namespace fairlane::command
