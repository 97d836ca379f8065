// The `fairlane` command.
#include <exception>
#include <iostream>

#include "commands.h"

int main(int argc, char** argv) {
  using namespace fairlane::command;
  CLI::App app("Work that must go in order per key", "fairlane");
  app.set_version_flag("--version", "fairlane " FAIRLANE_VERSION);
  app.require_subcommand(1);
  app.footer("`fairlane COMMAND --help` tells more; the manual is fairlane(1).");
  int exit_code = exit_ok;
  add_replay_command(app, exit_code);
  add_run_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_broken;
  } catch (const std::exception& error) {
    std::cerr << "fairlane: " << error.what() << '\n';
    return exit_broken;
  }
  return exit_code;
}
