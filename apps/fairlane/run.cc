// `fairlane run`: the options, and what they say of themselves.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>

#include "arguments.h"
#include "commands.h"
#include "handling.h"
#include "run/options.h"

namespace fairlane::command {

namespace {

using run::RunOptions;

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

void add_failure_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = head::failures;
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
  add_retry_options(app, options);
}

void add_turn_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = head::turns;
  add_parsed(app, "--rotation", "NAME", "oldest_claim_first or ready_order",
             [&options](const std::string& text) {
               const auto rotation = parse_rotation(text);
               if (!rotation) throw std::invalid_argument("no rotation: \"" + text + "\"");
               options.rotation = *rotation;
             })
      ->default_str("oldest_claim_first")
      ->group(group);
  add_share_options(app, options);
  add_transport(app, options.transport, "Where the messages are kept")->group(group);
}

void add_output_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = head::output;
  const auto add_file = [&](const char* name, std::string& target, const char* description) {
    app.add_option(name, target, description)->type_name("FILE")->group(group);
  };
  add_results_option(app, options);
  add_file("--dead", options.dead, "Dead letters, as the lines that were read");
  add_file("--unfinished", options.unfinished, "What was read and is not done, in order");
  app.add_flag("--quiet", options.quiet, "No progress and no summary")->group(group);
}

constexpr auto run_footer =
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
  add_command_argument(*command);
  add_input_options(*command, *options);
  add_handling_options(*command, *options);
  add_failure_options(*command, *options);
  add_turn_options(*command, *options);
  add_output_options(*command, *options);
  command->footer(std::string(command_footer) + run_footer);
  command->callback([options, &exit_code] {
    require_command(*options);
    exit_code = run::run(*options);
  });
}

}  // namespace fairlane::command
