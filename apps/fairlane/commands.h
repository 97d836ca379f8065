// The subcommands of `fairlane`, each in a file of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairlane::command {

/// Each adds its subcommand to `app`; when it is chosen, it runs and sets `exit_code`.
void add_replay_command(CLI::App& app, int& exit_code);
/// `words`: COMMAND and its arguments, which stand behind "--"; empty: there is none.
void add_run_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code);
void add_work_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code);
void add_publish_command(CLI::App& app, int& exit_code);
void add_claim_command(CLI::App& app, int& exit_code);
/// ack, nack, extend, release, reject.
void add_settle_commands(CLI::App& app, int& exit_code);
/// stats, groups, inspect, peek.
void add_look_commands(CLI::App& app, int& exit_code);
/// suspend, resume, terminate, cancel.
void add_control_commands(CLI::App& app, int& exit_code);
void add_dead_command(CLI::App& app, int& exit_code);
void add_copy_command(CLI::App& app, int& exit_code);
void add_schema_command(CLI::App& app, int& exit_code);

/// What the command answers.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;  ///< an expectation, some messages, a stale lease; no lease
inline constexpr int exit_broken = 2;  ///< usage or input
inline constexpr int exit_stopped = 130;

}  // namespace fairlane::command
