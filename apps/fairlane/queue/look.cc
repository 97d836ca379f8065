// `fairlane stats`, `groups`, `inspect`, `peek`: looks that change nothing.
#include <memory>

#include "queue/target.h"

namespace fairlane::command {

namespace {

struct GroupOptions {
  Target target = {};
  Argument group = {};
};

int stats(const Target& target) {
  const Stats held = target.open()->control().stats();
  Printer printer(target.format(), Printer::Shape::card);
  printer.print(printer.record()
                    .number("groups", held.groups)
                    .number("ready", held.ready)
                    .number("waiting", held.waiting)
                    .number("leased", held.leased)
                    .number("parked", held.parked)
                    .number("suspended", held.suspended)
                    .number("dead", held.dead)
                    .duration("oldest_age", held.oldest_age));
  printer.flush();
  return exit_ok;
}

int inspect(const GroupOptions& options) {
  const auto group = options.group.bytes();
  const GroupInfo info = options.target.open()->control().inspect(group);
  Printer printer(options.target.format(), Printer::Shape::card);
  Record record = printer.record();
  record.bytes("group", group)
      .bytes("state", to_string(info.state))
      .boolean("suspended", info.suspended)
      .number("messages", info.messages);
  if (info.state != GroupState::absent) {
    record.number("priority", info.priority).instant("last_claimed_at", info.last_claimed_at);
  }
  if (info.until) record.instant("until", *info.until);
  if (info.worker_id) record.bytes("worker", *info.worker_id);
  if (info.attempt) record.number("attempt", std::uint64_t{*info.attempt});
  printer.print(record);
  printer.flush();
  return exit_ok;
}

struct PeekOptions {
  GroupOptions group = {};
  std::size_t limit = 10;
};

int peek(const PeekOptions& options) {
  const auto transport = options.group.target.open();
  Printer printer(options.group.target.format());
  for (const auto& message :
       transport->control().peek(options.group.group.bytes(), options.limit)) {
    printer.print(printer.record()
                      .number("seq", message.seq)
                      .number("attempts", std::uint64_t{message.attempts})
                      .long_bytes("event", *message.event));
  }
  printer.flush();
  return exit_ok;
}

struct GroupsOptions {
  Target target = {};
  bool suspended = false;
  std::size_t limit = 100;
  Argument after = {};
  bool has_after = false;
};

int groups(const GroupsOptions& options) {
  const auto after = options.after.bytes();
  GroupQuery query{.suspended = options.suspended, .limit = options.limit};
  if (options.has_after) query.after = after;
  const auto transport = options.target.open();
  Printer printer(options.target.format());
  for (const auto& group : transport->control().groups(query)) {
    printer.print(printer.record().bytes("group", group));
  }
  printer.flush();
  return exit_ok;
}

}  // namespace

void add_look_commands(CLI::App& app, int& exit_code) {
  const auto stats_of = std::make_shared<Target>();
  auto* const stats_command = app.add_subcommand("stats", "Show what a queue holds");
  add_target(*stats_command, *stats_of);
  run_when_chosen(*stats_command, exit_code, stats_of, stats);

  const auto listed = std::make_shared<GroupsOptions>();
  auto* const groups_command = app.add_subcommand("groups", "List the active groups");
  add_target(*groups_command, listed->target);
  groups_command->add_flag("--suspended", listed->suspended,
                           "List the suspended groups instead, active or not");
  add_count(*groups_command, "--limit", listed->limit, "At most so many");
  groups_command
      ->add_option_function<std::string>(
          "--after",
          [&into = *listed](const std::string& text) {
            into.after.text = text;
            into.has_after = true;
          },
          "Begin behind this one, in the order of bytes")
      ->type_name("GROUP");
  groups_command->add_flag("--base64", listed->after.is_base64, "--after is given in base64");
  run_when_chosen(*groups_command, exit_code, listed, groups);

  const auto inspected = std::make_shared<GroupOptions>();
  auto* const inspect_command =
      app.add_subcommand("inspect", "Show a group, and why it is not delivered");
  add_target(*inspect_command, inspected->target);
  add_group(*inspect_command, inspected->group);
  run_when_chosen(*inspect_command, exit_code, inspected, inspect);

  const auto peeked = std::make_shared<PeekOptions>();
  auto* const peek_command = app.add_subcommand("peek", "Show the first messages of a group");
  add_target(*peek_command, peeked->group.target);
  add_group(*peek_command, peeked->group.group);
  add_count(*peek_command, "--limit", peeked->limit, "At most so many");
  run_when_chosen(*peek_command, exit_code, peeked, peek);
}

}  // namespace fairlane::command
