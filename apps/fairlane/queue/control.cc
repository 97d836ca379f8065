// `fairlane suspend`, `resume`, `terminate`, `cancel`: the control plane.
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <memory>

#include "queue/target.h"

namespace fairlane::command {

namespace {

struct ControlOptions {
  Target target = {};
  Argument group = {};
  std::string event = {};
};

int set_suspended(const ControlOptions& options, bool suspended) {
  const auto group = options.group.bytes();
  const auto transport = options.target.open();
  suspended ? transport->control().suspend(group) : transport->control().resume(group);
  Printer printer(options.target.format());
  printer.print(printer.record().bytes("group", group).boolean("suspended", suspended));
  printer.flush();
  return exit_ok;
}
int suspend(const ControlOptions& options) { return set_suspended(options, true); }
int resume(const ControlOptions& options) { return set_suspended(options, false); }

int terminate(const ControlOptions& options) {
  const auto group = options.group.bytes();
  const auto dropped = options.target.open()->control().terminate(group);
  Printer printer(options.target.format());
  printer.print(printer.record().bytes("group", group).number("dropped", dropped));
  printer.flush();
  return exit_ok;
}

/// The event as it was given, or all of standard input for "-".
Bytes event_of(const ControlOptions& options) {
  if (options.event != "-") return Argument{options.event, options.group.is_base64}.bytes();
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

int cancel(const ControlOptions& options) {
  const auto group = options.group.bytes();
  auto event = event_of(options);
  const auto cancelled = options.target.open()->control().cancel(group, std::move(event));
  Printer printer(options.target.format());
  printer.print(printer.record()
                    .bytes("group", group)
                    .number("dropped", cancelled.dropped)
                    .number("seq", cancelled.seq));
  printer.flush();
  return exit_ok;
}

CLI::App* add_control(CLI::App& app, int& exit_code, const char* name, const char* description,
                      int (*body)(const ControlOptions&),
                      const std::shared_ptr<ControlOptions>& options) {
  auto* const command = app.add_subcommand(name, description);
  add_target(*command, options->target);
  add_group(*command, options->group);
  run_when_chosen(*command, exit_code, options, body);
  return command;
}

}  // namespace

void add_control_commands(CLI::App& app, int& exit_code) {
  const auto options = [] { return std::make_shared<ControlOptions>(); };
  add_control(app, exit_code, "suspend", "Make a group not claimable until it is resumed", suspend,
              options());
  add_control(app, exit_code, "resume", "Let a suspended group be claimed again", resume,
              options());
  add_control(app, exit_code, "terminate", "Drop every message of a group", terminate, options());
  const auto cancelled = options();
  auto* const cancel_command = add_control(
      app, exit_code, "cancel",
      "Drop every message of a group but a leased head, and publish EVENT", cancel, cancelled);
  cancel_command->add_option("EVENT", cancelled->event, "Its bytes; - is standard input")
      ->required()
      ->type_name("");
}

}  // namespace fairlane::command
