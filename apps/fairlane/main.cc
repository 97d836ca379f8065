// The `fairlane` command.
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "engines.h"

namespace {

/// How many arguments are ours: those before the "--" behind which `run` and `work` have their
/// COMMAND. CLI11 would forget where the mark stood, and read "[a,b]" as a list.
int own_arguments(int argc, char** argv) {
  const std::string_view name = argc < 2 ? "" : argv[1];
  if (name != "run" && name != "work") return argc;
  return static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fairlane::command;
  register_engines();
  CLI::App app("Work that must go in order per key", "fairlane");
  app.set_version_flag("--version", "fairlane " FAIRLANE_VERSION);
  app.require_subcommand(1);
  app.footer("`fairlane COMMAND --help` tells more; the manual is fairlane(1).");
  int exit_code = exit_ok;
  const int own = own_arguments(argc, argv);
  const std::vector<std::string> words(argv + std::min(own + 1, argc), argv + argc);
  add_run_command(app, words, exit_code);
  add_publish_command(app, exit_code);
  add_work_command(app, words, exit_code);
  add_claim_command(app, exit_code);
  add_settle_commands(app, exit_code);
  add_look_commands(app, exit_code);
  add_control_commands(app, exit_code);
  add_dead_command(app, exit_code);
  add_copy_command(app, exit_code);
  add_schema_command(app, exit_code);
  add_replay_command(app, exit_code);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for = app.exit(error) == 0;  // --help, --version
    if (std::cout.flush()) return asked_for ? exit_ok : exit_broken;
    std::cerr << "fairlane: standard output cannot be written\n";
    return exit_broken;
  } catch (const std::exception& error) {
    std::cerr << "fairlane: " << error.what() << '\n';
    return exit_broken;
  }
  return exit_code;
}
