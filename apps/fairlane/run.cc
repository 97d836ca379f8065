// `fairlane run`: the options, and what they say of themselves.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <thread>

#include "commands.h"
#include "run/duration_text.h"
#include "run/options.h"

namespace fairlane::command {

namespace {

using run::RunOptions;

/// An option whose text `parse` turns into a value; what it throws is an error of usage.
template <class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, const std::string& value,
                        const std::string& description, Parse parse) {
  return app
      .add_option_function<std::string>(
          name,
          [name, parse](const std::string& text) {
            try {
              parse(text);
            } catch (const std::invalid_argument& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          description)
      ->type_name(value);
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& target,
                          const std::string& description) {
  return add_parsed(app, name, "D", description,
                    [&target](const std::string& text) { target = run::parse_duration(text); })
      ->default_str(run::duration_text(target));
}

void add_input_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "What is read";
  app.add_option("--group-by", options.group_by,
                 "The event's group: a top-level key, a dotted path or a JSON pointer")
      ->required()
      ->type_name("KEY")
      ->group(group);
  app.add_option("--priority-by", options.priority_by,
                 "Its priority, a 32-bit integer; 0 where it is absent")
      ->type_name("KEY")
      ->group(group);
  app.add_option("--skip-bad", options.skip_bad,
                 "Write bad lines to FILE and go on, instead of ending at the first")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--limit", options.limit, "Messages in memory at once; reading waits for room")
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
}

void add_handling_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "How events are handled";
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

void add_failure_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "What becomes of failures";
  app.add_option("--max-attempts", options.max_attempts, "Attempts of an event; 0: no limit")
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
  add_parsed(app, "--when-exhausted", "POLICY",
             "Then: dead_letter, or suspend_group for order before progress",
             [&options](const std::string& text) {
               const auto policy = parse_when_exhausted(text);
               if (!policy) throw std::invalid_argument("no policy: \"" + text + "\"");
               options.when_exhausted = *policy;
             })
      ->default_str("dead_letter")
      ->group(group);
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

void add_turn_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "Whose turn it is";
  add_parsed(app, "--rotation", "NAME", "oldest_claim_first or ready_order",
             [&options](const std::string& text) {
               const auto rotation = parse_rotation(text);
               if (!rotation) throw std::invalid_argument("no rotation: \"" + text + "\"");
               options.rotation = *rotation;
             })
      ->default_str("oldest_claim_first")
      ->group(group);
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
  app.add_option("--transport", options.transport, "Where the messages are kept")
      ->capture_default_str()
      ->type_name("URL")
      ->group(group);
}

void add_output_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "What is written";
  const auto add_file = [&](const char* name, std::string& target, const char* description) {
    app.add_option(name, target, description)->type_name("FILE")->group(group);
  };
  add_file("--results", options.results, "A JSON line for each attempt that was settled");
  add_file("--dead", options.dead, "Dead letters, as the lines that were read");
  add_file("--unfinished", options.unfinished, "What was read and is not done, in order");
  app.add_flag("--quiet", options.quiet, "No progress and no summary")->group(group);
}

constexpr auto footer =
    "In exec mode COMMAND gets the line on its standard input and FAIRLANE_GROUP, FAIRLANE_SEQ,\n"
    "FAIRLANE_ATTEMPT and FAIRLANE_WORKER in its environment. It exits with 0: done; 75: retry\n"
    "after --retry-delay; 65: dead letter; anything else: a failed attempt.\n"
    "In lines mode it gets {\"group\":..,\"seq\":..,\"attempt\":..,\"event\":..} and answers\n"
    "{\"seq\":..,\"result\":\"done\"|\"retry\"|\"dead\",\"delay_ms\":..,\"reason\":..}, a line "
    "each.\n"
    "Durations: 250ms, 1.5s, 10m, 2h.\n"
    "Exit code: 0 all done; 1 some are dead or their groups suspended; 2 wrong usage or input,\n"
    "or COMMAND is broken; 130 after Ctrl-C or TERM (a second one ends at once).\n\n"
    "Example: fairlane run --group-by case permits.jsonl.gz -- ./append-to-case cases";

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto* const command = app.add_subcommand(
      "run",
      "Hand events to a command, in order per group and in parallel across groups.\n"
      "fairlane run [options] [FILE...] -- COMMAND [ARGS]");
  const auto options = std::make_shared<RunOptions>();
  options->command = words;
  options->workers = std::max(1U, std::thread::hardware_concurrency());
  command
      ->add_option("FILE", options->files, "JSON lines, plain or gzip; none or -: standard input")
      ->expected(-1)
      ->allow_extra_args()
      ->type_name("");
  // Takes nothing, for FILE is first: it is there to be told by --help.
  command
      ->add_option_function<std::string>(
          "COMMAND", [](const std::string&) {}, "What handles the events, and its arguments")
      ->type_name("");
  add_input_options(*command, *options);
  add_handling_options(*command, *options);
  add_failure_options(*command, *options);
  add_turn_options(*command, *options);
  add_output_options(*command, *options);
  command->footer(footer);
  command->callback([options, &exit_code] {
    if (options->command.empty()) {
      throw CLI::ValidationError("COMMAND", "write it behind \"--\"");
    }
    exit_code = run::run(*options);
  });
}

}  // namespace fairlane::command
