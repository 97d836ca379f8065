#include "handling.h"

#include <map>

#include "arguments.h"
#include "run/duration_text.h"

namespace fairlane::command {

void add_handling_options(CLI::App& app, run::RunOptions& options) {
  constexpr auto group = head::handling;
  app.add_option("--mode", options.mode,
                 "exec: COMMAND once per event; lines: once per worker, JSON lines in and out")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, run::Mode>{{"exec", run::Mode::exec}, {"lines", run::Mode::lines}}))
      ->default_str("exec")
      ->type_name("MODE")
      ->group(group);
  app.add_option("--workers", options.workers, "How many work at once")
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
  app.add_option("--window", options.window,
                 "Events of different groups with one process at once, in lines mode")
      ->capture_default_str()
      ->type_name("K")
      ->group(group);
  add_parsed(app, "--timeout", "D", "End an attempt that takes longer; it counts as failed",
             [&options](const std::string& text) { options.timeout = run::parse_duration(text); })
      ->default_str("none")
      ->group(group);
  add_duration(app, "--visibility", options.visibility, "How long a lease runs without a heartbeat")
      ->group(group);
  add_duration(app, "--grace", options.grace,
               "Time to finish after Ctrl-C, and between TERM and KILL")
      ->group(group);
}

void add_retry_options(CLI::App& app, run::RunOptions& options) {
  constexpr auto group = head::failures;
  add_parsed(app, "--backoff", "MIN..MAX", "The pause after a failed attempt, doubled each time",
             [&options](const std::string& text) {
               const auto range = run::parse_duration_range(text);
               options.backoff.min = range.min;
               options.backoff.max = range.max;
             })
      ->default_str("100ms..30s")
      ->group(group);
  add_duration(app, "--retry-delay", options.retry_delay, "The pause that exit code 75 asks for")
      ->group(group);
}

void add_share_options(CLI::App& app, run::RunOptions& options) {
  constexpr auto group = head::turns;
  app.add_option("--high-ratio", options.high_ratio,
                 "Share of claims that looks at high priorities first, 0..1")
      ->capture_default_str()
      ->type_name("X")
      ->group(group);
  app.add_option("--priority-threshold", options.priority_threshold,
                 "From which priority on is high")
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
}

void add_results_option(CLI::App& app, run::RunOptions& options) {
  app.add_option("--results", options.results, "A JSON line for each attempt that was settled")
      ->type_name("FILE")
      ->group(head::output);
}

void add_command_argument(CLI::App& app) {
  app.add_option_function<std::string>(
         "COMMAND", [](const std::string&) {}, "What handles the events, and its arguments")
      ->type_name("");
}

void require_command(const run::RunOptions& options) {
  if (options.command.empty()) throw CLI::ValidationError("COMMAND", "write it behind \"--\"");
}

}  // namespace fairlane::command
