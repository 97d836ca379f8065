// What every subcommand that works on a queue has: which queue, and how to tell.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "commands.h"
#include "fairlane/open.h"
#include "queue/printer.h"

namespace fairlane::command {

/// The queue, and the form of the output.
struct Target {
  std::string url = {};
  bool json = false;
  bool table = false;

  std::unique_ptr<Transport<Bytes>> open() const { return fairlane::open(url); }
  /// As asked for; else a table on a terminal, JSON elsewhere.
  Format format() const;
};

/// Adds `--transport`, `--json` and `--table`.
void add_target(CLI::App& app, Target& target);
/// Adds `--json` and `--table`.
void add_format(CLI::App& app, Target& target);

/// What the arguments GROUP and EVENT stand for.
struct Argument {
  std::string text = {};
  bool is_base64 = false;

  /// Errors: `std::invalid_argument` where it is no base64 though that was said.
  std::string bytes() const;
};

/// Adds the argument GROUP, and `--base64` for it.
CLI::Option* add_group(CLI::App& app, Argument& group);

/// A whole number from 1 on, or the one in `target` as the default.
template <class Number>
CLI::Option* add_count(CLI::App& app, const std::string& name, Number& target,
                       const std::string& description) {
  return app.add_option(name, target, description)
      ->check(CLI::Range(Number{1}, std::numeric_limits<Number>::max()).description(""))
      ->capture_default_str()
      ->type_name("N");
}

/// Runs `body` and answers its exit code; what it throws is told on standard error and is
/// `exit_broken`.
int guarded(const std::function<int()>& body);

/// A line on standard error, with what could drive a terminal escaped.
void complain(std::string_view text);

/// Has `app`, once chosen, set `exit_code` to what `body(*options)` answers.
template <class Options>
void run_when_chosen(CLI::App& app, int& exit_code, std::shared_ptr<Options> options,
                     int (*body)(const Options&)) {
  app.callback(
      [options, body, &exit_code] { exit_code = guarded([&] { return body(*options); }); });
}

}  // namespace fairlane::command
