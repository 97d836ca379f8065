// `fairlane replay`: runs traces and compares what comes back.
#include "replay/replay.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands.h"

namespace fairlane::command {

namespace {

struct ReplayOptions {
  std::string url = "memory:";
  bool quiet = false;
  std::vector<std::string> files;
};

int replay_files(const ReplayOptions& options) {
  std::ostream* const results = options.quiet ? nullptr : &std::cout;
  replay::Counts counts;
  for (const auto& file : options.files) {
    try {
      if (file == "-") {
        replay::replay(options.url, "standard input", std::cin, results, std::cerr, counts);
        // The stream takes an error for an end; what is underneath tells them apart.
        if (std::ferror(stdin) != 0) throw replay::BrokenTrace("standard input: cannot be read");
        continue;
      }
      std::ifstream trace(file);
      if (!trace || std::filesystem::is_directory(file)) {
        throw replay::BrokenTrace(file + ": cannot be read");
      }
      replay::replay(options.url, file, trace, results, std::cerr, counts);
    } catch (const std::exception& error) {
      std::cout.flush();
      std::cerr << "fairlane: " << error.what() << '\n';
      return exit_broken;
    }
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n" << std::flush;
  if (!std::cout) {
    std::cerr << "fairlane: standard output cannot be written\n";
    return exit_broken;
  }
  return counts.failed == 0 ? exit_ok : exit_failed;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReplayOptions>();
  auto* const command = app.add_subcommand("replay", "Run traces and compare what comes back");
  add_transport(*command, options->url, "Where to run them");
  command->add_flag("--quiet", options->quiet, "Print no result lines, only failures and counts");
  command->add_option("FILE", options->files, "Traces; - is standard input")->required();
  command->footer(
      "Each trace starts on an empty transport at instant 0. One JSON line is printed for each\n"
      "operation; a failed expectation goes to standard error. The last line of standard output\n"
      "is \"N passed, M failed\".\n\n"
      "Exit status: 0 all passed; 1 some failed; 2 a trace or the call is broken.");
  command->callback([options, &exit_code] {
    if (options->files.size() > 1 && options->url != "memory:") {
      std::cerr << "fairlane: a durable transport takes one FILE\n";
      exit_code = exit_broken;
      return;
    }
    exit_code = replay_files(*options);
  });
}

}  // namespace fairlane::command
