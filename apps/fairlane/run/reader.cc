// Publishes in batches while lines are at hand, and at once before it waits for more.
#include "run/reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <span>

namespace fairlane::run {

namespace {
constexpr std::size_t batch_size = 256;
}  // namespace

Reader::Reader(const RunOptions& options, Transport<Bytes>& transport, RunState& state,
               Output& output, Settler& settler)
    : options_(options),
      transport_(transport),
      state_(state),
      output_(output),
      settler_(settler),
      group_key_(options.group_by),
      priority_key_(options.priority_by.empty() ? options.group_by : options.priority_by),
      keys_(&group_key_, options.priority_by.empty() ? nullptr : &priority_key_),
      input_(options.files, state.ending_flag().fd()) {
  if (options.skip_bad.empty()) return;
  skipped_.open(options.skip_bad, std::ios::binary | std::ios::trunc);
  if (!skipped_) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", options.skip_bad, std::strerror(errno)));
  }
}

void Reader::run() {
  try {
    read_all();
    publish();
  } catch (const InputError& error) {
    failed_ = true;
    output_.say(error.what());
    publish();
  } catch (const std::exception& error) {
    state_.end(Ending::broken, error.what());
  }
  for (auto& pending : pending_) unpublished_.push_back(std::move(pending.text));
  state_.input_done();
  settler_.check_suspended();
}

void Reader::read_all() {
  Line line;
  while (!failed_) {
    switch (input_.next(line, pending_.empty())) {
      case Input::Next::line:
        take(line);
        break;
      case Input::Next::would_block:
        publish();
        break;
      case Input::Next::end:
      case Input::Next::stopped:
        return;
    }
    if (pending_.size() >= batch_size) publish();
    if (state_.ending()) return;
  }
}

void Reader::take(Line& line) {
  auto key = keys_.read(line.text);
  if (const auto* const reason = std::get_if<BadLine>(&key)) return bad(line, reason->reason);
  auto& good = std::get<EventKey>(key);
  if (options_.mode == Mode::exec && good.group_id.find('\0') != std::string::npos) {
    return bad(line, "its group holds a NUL, which no environment variable can");
  }
  if (groups_.insert(std::hash<std::string>{}(good.group_id)).second) ++state_.counters.groups;
  pending_.push_back({std::move(good), std::move(line.text)});
}

void Reader::bad(const Line& line, const std::string& reason) {
  if (!skipped_.is_open()) {
    failed_ = true;
    output_.say(fmt::format("{}:{}: bad line: {}", input_.file(), line.number, reason));
    return;
  }
  ++state_.counters.bad;
  skipped_ << line.text << '\n' << std::flush;
  if (!skipped_) state_.end(Ending::broken, fmt::format("cannot write {}", options_.skip_bad));
}

void Reader::publish() {
  std::size_t begin = 0;
  while (begin < pending_.size()) {
    if (state_.outstanding() >= options_.limit) settler_.check_suspended();
    const auto room = state_.take_room(pending_.size() - begin, recount_every(options_));
    if (room == 0 && state_.ending()) break;
    if (room == 0) {
      if (options_.is_durable()) settler_.recount();
      continue;
    }
    std::vector<Publication<Bytes>> messages;
    messages.reserve(room);
    for (std::size_t i = begin; i < begin + room; ++i) {
      messages.push_back(
          {pending_[i].key.group_id, std::move(pending_[i].text), pending_[i].key.priority});
    }
    state_.counters.read += room;
    const auto at = std::chrono::steady_clock::now();
    for (const auto seq : transport_.publish_batch(messages)) state_.published(seq, at);
    begin += room;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace fairlane::run
