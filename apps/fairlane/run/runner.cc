// Puts the parts of a run together.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <thread>

#include "fairlane/open.h"
#include "run/exec_mode.h"
#include "run/lines_mode.h"
#include "run/patient_transport.h"
#include "run/reader.h"
#include "run/report.h"
#include "run/signals.h"

namespace fairlane::run {

namespace {

/// A pipe of ours must not get the number of a standard stream that we were started without.
/// Writing to such a one still fails, and is told.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

/// Shows progress every so often until destroyed.
class Progress {
 public:
  using Line = std::string(const RunState&, std::chrono::duration<double>);
  Progress(const RunState& state, Output& output, SteadyTime began, Line* progress)
      : thread_([&state, &output, began, progress](std::stop_token stop) {
          const bool terminal = isatty(STDERR_FILENO) != 0;
          const auto pause = terminal ? std::chrono::milliseconds(200) : std::chrono::seconds(5);
          std::mutex mutex;
          std::condition_variable_any over;
          std::unique_lock lock(mutex);
          while (!over.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
            if (stop.stop_requested()) break;
            const auto line = progress(state, std::chrono::steady_clock::now() - began);
            terminal ? output.show_progress(line) : output.say(line);
          }
          output.clear_progress();
        }) {}

 private:
  std::jthread thread_;
};

std::unique_ptr<Transport<Bytes>> open_transport(const RunOptions& options) {
  OpenOptions open_options;
  if (!options.reads) {
    if (options.max_attempts != 0) open_options.queue.max_attempts = options.max_attempts;
    return open(options.transport, open_options);
  }
  open_options.queue.rotation = options.rotation;
  open_options.queue.when_exhausted = options.when_exhausted;
  open_options.queue.max_attempts = options.max_attempts;
  return open(options.transport, open_options);
}

/// What was published and is not done, in the order of publishing.
std::vector<std::pair<std::uint64_t, EventRef<Bytes>>> unfinished(const RunOptions& options,
                                                                  Transport<Bytes>& transport) {
  std::vector<std::pair<std::uint64_t, EventRef<Bytes>>> left;
  GroupQuery query{.limit = 1000};
  for (std::string last;; query.after = last) {
    const auto groups = transport.control().groups(query);
    for (const auto& group : groups) {
      for (auto& message :
           transport.control().peek(group, std::numeric_limits<std::uint32_t>::max())) {
        left.emplace_back(message.seq, std::move(message.event));
      }
    }
    if (groups.size() < query.limit) break;
    last = groups.back();
  }
  if (options.is_durable()) return left;  // It keeps its dead letters.
  // Those that could not be written down.
  for (auto& letter : transport.control().dead_letters(std::numeric_limits<std::uint32_t>::max())) {
    left.emplace_back(letter.seq, std::move(letter.event));
  }
  std::sort(left.begin(), left.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return left;
}

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        command_(options.command),
        state_(options.limit),
        unfinished_file_(options.unfinished),
        transport_(std::make_unique<PatientTransport>(
            open_transport(options), state_.stop_token(),
            [this](const std::string& line) { output_.say(line); })),
        output_(state_),
        settler_(options, *transport_, state_) {
    if (options.reads) reader_.emplace(options, *transport_, state_, output_, settler_);
    if (!options.unfinished.empty() && !unfinished_file_) {
      throw std::runtime_error(fmt::format("cannot write {}", options.unfinished));
    }
    if (options.until_empty) settler_.take_over();
  }

  int operator()() {
    const auto began = std::chrono::steady_clock::now();
    {
      const Signals signals(state_);
      work(began);
    }
    const auto elapsed = std::chrono::steady_clock::now() - began;
    return reader_ ? tell(elapsed) : tell_work(elapsed);
  }

 private:
  void work(SteadyTime began) {
    std::optional<Progress> progress;
    if (!options_.quiet && reader_) progress.emplace(state_, output_, began, progress_line);
    // Workers that go on for weeks would fill a log.
    if (!options_.quiet && !reader_ && isatty(STDERR_FILENO) != 0) {
      progress.emplace(state_, output_, began, work_progress_line);
    }
    Keeper keeper(*transport_, options_.visibility);
    const Shop shop{options_, command_, *transport_, state_, output_, settler_, keeper};
    std::vector<std::thread> workers;
    for (std::size_t i = 1; i <= options_.workers; ++i) {
      workers.emplace_back([&shop, this, i] {
        const auto worker = options_.mode == Mode::exec ? exec_worker : lines_worker;
        try {
          worker(shop, fmt::format("{}-{}", options_.worker, i));
        } catch (const std::exception& error) {
          state_.end(Ending::broken, error.what());
        }
      });
    }
    if (reader_) {
      reader_->run();
    } else if (options_.until_empty) {
      state_.input_done();
    }
    wait_for_end();
    state_.end(Ending::none);
    for (auto& worker : workers) worker.join();
  }

  void wait_for_end() {
    // Others may work on a durable queue, so what is left is looked up.
    for (bool over = false; !over;) {
      const bool drained = state_.wait_until_drained(recount_every(options_));
      over = state_.ending() || (drained && !options_.is_durable());
      if (!over && options_.is_durable() && options_.until_empty) {
        over = settler_.recount() == 0 && drained;
      }
    }
  }

  int tell_work(std::chrono::duration<double> elapsed) {
    const auto [ending, message] = state_.verdict();
    if (!message.empty()) output_.say(message);
    if (!options_.quiet) output_.say(work_summary(state_, elapsed));
    const auto now = state_.verdict().first;  // It may be that nothing can be said any more.
    if (now == Ending::broken) return exit_usage;
    if (now == Ending::interrupted) {
      // For those that work until they are stopped it is the ordinary end.
      return options_.until_empty || state_.aborted() ? exit_interrupted : exit_done;
    }
    return now == Ending::suspended || state_.counters.dead > 0 ? exit_dead : exit_done;
  }

  int tell(std::chrono::duration<double> elapsed) {
    const auto left = unfinished(options_, *transport_);
    const auto [ending, message] = state_.verdict();
    const auto open = left.size() + reader_->unpublished().size();
    if (!message.empty()) output_.say(message);
    for (const auto& letter : settler_.shown_dead_letters()) output_.say("dead: " + letter);
    if (open > 0 || ending == Ending::interrupted) {
      const auto read = state_.counters.read + reader_->unpublished().size();
      output_.say(fmt::format("{} of {} events read are not done; reading stopped at {}", open,
                              read, reader_->position()));
      if (options_.is_durable() && !left.empty()) {
        output_.say(fmt::format("{} stand in {}; the next run goes on with them", left.size(),
                                shown_url(options_.transport)));
      }
    }
    if (!options_.quiet) output_.say(summary(state_, elapsed));
    if (!write_unfinished(left)) return exit_usage;
    if (ending == Ending::interrupted) return exit_interrupted;
    if (state_.verdict().first == Ending::broken || reader_->failed()) return exit_usage;
    return state_.counters.dead > 0 || open > 0 ? exit_dead : exit_done;
  }

  bool write_unfinished(const std::vector<std::pair<std::uint64_t, EventRef<Bytes>>>& left) {
    if (options_.unfinished.empty()) return true;
    if (!options_.is_durable()) {
      for (const auto& [seq, event] : left) unfinished_file_ << *event << '\n';
    }
    for (const auto& line : reader_->unpublished()) unfinished_file_ << line << '\n';
    unfinished_file_.close();
    if (!unfinished_file_) output_.say(fmt::format("cannot write {}", options_.unfinished));
    return !unfinished_file_.fail();
  }

  const RunOptions& options_;
  const Command command_;
  RunState state_;
  std::ofstream unfinished_file_;
  std::unique_ptr<Transport<Bytes>> transport_;
  Output output_;
  Settler settler_;
  std::optional<Reader> reader_;  // None where others publish.
};

}  // namespace

int run(const RunOptions& options) {
  occupy_standard_streams();
  try {
    validate(options);
    return Run(options)();
  } catch (const std::exception& error) {
    std::cerr << "fairlane: " << error.what() << '\n';
    return exit_usage;
  }
}

}  // namespace fairlane::run
