// The options that `run` and `work` share: how events are handled.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "run/options.h"

namespace fairlane::command {

/// Under which head of --help an option stands.
namespace head {
inline constexpr auto handling = "How events are handled";
inline constexpr auto failures = "What becomes of failures";
inline constexpr auto turns = "Whose turn it is";
inline constexpr auto output = "What is written";
}  // namespace head

/// --mode, --workers, --window, --timeout, --visibility, --grace.
void add_handling_options(CLI::App& app, run::RunOptions& options);
/// --backoff, --retry-delay.
void add_retry_options(CLI::App& app, run::RunOptions& options);
/// --high-ratio, --priority-threshold.
void add_share_options(CLI::App& app, run::RunOptions& options);
/// --results.
void add_results_option(CLI::App& app, run::RunOptions& options);
/// COMMAND, which stands behind "--" and is not parsed: it is there to be told by --help.
void add_command_argument(CLI::App& app);
/// Errors: `CLI::ValidationError` if there is none.
void require_command(const run::RunOptions& options);

/// What --help says of COMMAND.
inline constexpr auto command_footer =
    "In exec mode COMMAND gets the line on its standard input and FAIRLANE_GROUP, FAIRLANE_SEQ,\n"
    "FAIRLANE_ATTEMPT and FAIRLANE_WORKER in its environment. It exits with 0: done; 75: retry\n"
    "after --retry-delay; 65: dead letter; anything else: a failed attempt.\n"
    "In lines mode it gets {\"group\":..,\"seq\":..,\"attempt\":..,\"event\":..} and answers\n"
    "{\"seq\":..,\"result\":\"done\"|\"retry\"|\"dead\",\"delay_ms\":..,\"reason\":..}, a line "
    "each.\n"
    "Durations: 250ms, 1.5s, 10m, 2h.\n";

}  // namespace fairlane::command
