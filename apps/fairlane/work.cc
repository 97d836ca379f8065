// `fairlane work`: workers alone, on what others publish.
#include <algorithm>
#include <memory>
#include <thread>

#include "arguments.h"
#include "commands.h"
#include "handling.h"
#include "run/options.h"

namespace fairlane::command {

namespace {

constexpr auto work_footer =
    "An event that others published and that is not JSON in one line is \"event_text\" in lines "
    "mode,\n"
    "and bytes that are no text are \"event_base64\" and \"group_base64\".\n"
    "It works until it is stopped by Ctrl-C or TERM, gracefully; a second one ends it at once.\n"
    "Exit code: 0 it was stopped, or with --until-empty all was done; 1 with --until-empty: some "
    "are\n"
    "dead or their groups suspended; 2 wrong usage, or COMMAND is broken; 130 stopped at once, or\n"
    "before all was done with --until-empty.\n\n"
    "Example: fairlane work --transport sqlite:queue.db -- ./handle";

}  // namespace

void add_work_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto* const command =
      app.add_subcommand("work",
                         "Hand the events that others publish to a command, as run does.\n"
                         "fairlane work [options] -- COMMAND [ARGS]");
  const auto options = std::make_shared<run::RunOptions>();
  options->command = words;
  options->reads = options->until_empty = false;
  options->max_attempts = 0;
  options->min_priority = 0;
  options->limit = std::numeric_limits<std::size_t>::max();
  options->workers = std::max(1U, std::thread::hardware_concurrency());
  options->transport.clear();
  add_command_argument(*command);
  add_transport(*command, options->transport, "The queue");
  command->add_flag("--until-empty", options->until_empty,
                    "End once nothing is queued, whatever its priority");
  add_handling_options(*command, *options);
  add_worker(*command, options->worker, "What the workers' names begin with, for people to read")
      ->group(head::handling);
  command
      ->add_option("--max-attempts", options->max_attempts,
                   "As the queue has it, so that dead letters keep the reason of the last failure")
      ->type_name("N")
      ->group(head::failures);
  add_retry_options(*command, *options);
  command->add_option("--min-priority", options->min_priority, "Groups below it are left alone")
      ->capture_default_str()
      ->type_name("N")
      ->group(head::turns);
  add_share_options(*command, *options);
  add_results_option(*command, *options);
  command->add_flag("--quiet", options->quiet, "No progress and no summary")->group(head::output);
  command->footer(std::string(command_footer) + work_footer);
  command->callback([options, &exit_code] {
    require_command(*options);
    exit_code = run::run(*options);
  });
}

}  // namespace fairlane::command
