// The command as a whole, processes and all.
#include <fmt/core.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "workload.h"

namespace fairlane::bench {
namespace {

/// A file of JSON lines in a folder of its own, gone with this object.
class Lines {
 public:
  Lines(std::uint64_t lines, std::uint64_t groups) {
    auto name = (std::filesystem::temp_directory_path() / "fairlane_bench-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "there has to be a folder for temporary files");
    folder_ = name;
    const Keys keys(groups);
    std::ofstream out(file());
    for (std::uint64_t i = 0; i < lines; ++i) {
      out << R"({"case":")" << keys.at_random(i) << R"(","n":)" << i << "}\n";
    }
    out.flush();
    require(out.good(), "the temporary file has to take all lines");
  }
  ~Lines() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::string file() const { return folder_ / "lines.jsonl"; }

 private:
  std::filesystem::path folder_;
};

/// Runs a line of the shell over the file.
Timed run_command(const std::string& command, const Lines& input, std::uint64_t lines) {
  const auto line = fmt::format("exec {} <'{}' >/dev/null", command, input.file());
  const auto from = std::chrono::steady_clock::now();
  const int status = std::system(line.c_str());
  const auto until = std::chrono::steady_clock::now();
  require(status == 0, command.c_str());
  return {std::chrono::duration<double>(until - from).count(), lines};
}

}  // namespace

void run_exec(Session& session) {
  const auto lines = session.settings().size<std::uint64_t>(3'000, 20);
  const Lines input(lines, 500);
  const auto workers = std::max(1U, std::thread::hardware_concurrency());
  const auto xargs = fmt::format("xargs -n 1 -P {} /bin/true", workers);
  const auto ours =
      fmt::format("'{}' run --quiet --group-by case --workers {} --mode exec -- /bin/true",
                  session.settings().fairlane, workers);
  const auto rates = session.measure(
      "exec", {timed_side("xargs", [&] { return run_command(xargs, input, lines); }),
               timed_side("fairlane", [&] { return run_command(ours, input, lines); })});
  session.add({.workload = "exec",
               .what = fmt::format("fairlane run, /bin/true for each line, {} workers", workers),
               .ours = rates[1],
               .unit = "1/s",
               .against = "xargs -n 1 -P",
               .theirs = rates[0],
               .bar = Bar::at_least,
               .limit = 0.9});
}

void run_lines(Session& session) {
  const auto lines = session.settings().size<std::uint64_t>(300'000, 200);
  const Lines input(lines, 1'000);
  std::vector<Side> sides;
  const std::vector<int> windows{1, 64};
  for (const int window : windows) {
    const auto command =
        fmt::format("'{}' run --quiet --group-by case --workers 2 --window {} --mode lines -- '{}'",
                    session.settings().fairlane, window, session.settings().lines_handler);
    sides.push_back(timed_side(fmt::format("window_{}", window), [&input, command, lines] {
      return run_command(command, input, lines);
    }));
  }
  const auto rates = session.measure("lines", sides);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    session.add({.workload = "lines",
                 .what = fmt::format("fairlane run, C handler, 2 workers, window {}", windows[i]),
                 .ours = rates[i],
                 .unit = "1/s",
                 .bar = windows[i] == 1 ? Bar::none : Bar::at_least,
                 .limit = 100'000});
  }
}

}  // namespace fairlane::bench
