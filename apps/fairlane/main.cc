// The `fairlane` command.
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#ifdef FAIRLANE_HAS_REDIS
#include "fairlane/redis_transport.h"
#endif
#ifdef FAIRLANE_HAS_POSTGRES
#include "fairlane/postgres_transport.h"
#endif
#ifdef FAIRLANE_HAS_SHARDED
#include "fairlane/sharded_transport.h"
#endif
#ifdef FAIRLANE_HAS_SQLITE
#include "fairlane/sqlite_transport.h"
#endif

namespace {

/// How many arguments are ours: those before the "--" behind which `run` has its COMMAND. CLI11
/// would forget where the mark stood, and read "[a,b]" as a list.
int own_arguments(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "run") return argc;
  return static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fairlane::command;
#ifdef FAIRLANE_HAS_REDIS
  fairlane::register_redis();
#endif
#ifdef FAIRLANE_HAS_SHARDED
  fairlane::register_sharded();
#endif
#ifdef FAIRLANE_HAS_SQLITE
  fairlane::register_sqlite();
#endif
#ifdef FAIRLANE_HAS_POSTGRES
  fairlane::register_postgres();
#endif
  CLI::App app("Work that must go in order per key", "fairlane");
  app.set_version_flag("--version", "fairlane " FAIRLANE_VERSION);
  app.require_subcommand(1);
  app.footer("`fairlane COMMAND --help` tells more; the manual is fairlane(1).");
  int exit_code = exit_ok;
  const int own = own_arguments(argc, argv);
  const std::vector<std::string> words(argv + std::min(own + 1, argc), argv + argc);
  add_replay_command(app, exit_code);
  add_run_command(app, words, exit_code);
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
