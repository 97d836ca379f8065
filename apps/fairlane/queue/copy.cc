// `fairlane copy`: one queue into another, perhaps of another engine.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "queue/copier.h"
#include "queue/target.h"

namespace fairlane::command {

namespace {

struct CopyOptions {
  Target output = {};
  std::string from = {};
  std::string to = {};
  Copier::Options how = {};
};

int copy(const CopyOptions& options) {
  survive_closed_pipes();
  const auto from = fairlane::open(options.from);
  const auto to = fairlane::open(options.to);
  Copier copier(from->control(), *to, options.how);
  copier.check();
  const Format format = options.output.format();
  Printer printer(format);
  std::uint64_t groups = 0;
  std::uint64_t messages = 0;
  try {
    copier.copy([&](const Copier::Copied& copied) {
      ++groups;
      messages += copied.messages;
      printer.print(printer.record()
                        .bytes("group", copied.group_id)
                        .number("messages", copied.messages)
                        .number("present", copied.present));
      if (format == Format::json) printer.flush();
    });
    printer.flush();
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{}; {} groups are over: go on with --continue", error.what(), groups));
  }
  complain(fmt::format("{} groups with {} messages are over", groups, messages));
  const auto dead = from->control().stats().dead;
  if (dead > 0) {
    complain(
        fmt::format("{} dead letters stay in FROM; dead redrive makes messages of them", dead));
  }
  return exit_ok;
}

constexpr auto copy_footer =
    "Each group goes over as one batch, whole and in order, with its priority and its suspension.\n"
    "With --move it is terminated in FROM after it is stored in TO. Messages are as new in TO: "
    "leases,\n"
    "delays, attempts, seqs and turns do not go over; nor do the queue's rules and its dead "
    "letters.\n\n"
    "Nobody may publish to FROM, or work on either queue, meanwhile. A copy that was ended, even "
    "by\n"
    "kill -9, has lost nothing: the same command with --continue goes on, and doubles nothing. "
    "Memory:\n"
    "two or three times that of the largest group.\n\n"
    "Exit code: 0 all groups are over; 2 it may not be done, or an error.\n\n"
    "Example: fairlane copy --move sqlite:queue.db redis://localhost";

}  // namespace

void add_copy_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CopyOptions>();
  auto* const command = app.add_subcommand("copy", "Copy or move a queue into another");
  command->add_option("FROM", options->from, "The queue that is read, by URL")
      ->required()
      ->type_name("");
  command->add_option("TO", options->to, "The queue that is filled, by URL")
      ->required()
      ->type_name("");
  command->add_flag("--move", options->how.move, "Drop each group in FROM once it is in TO");
  command->add_flag("--force", options->how.force,
                    "Also if messages are leased: their handlers go on, and others get them again");
  command->add_flag("--continue", options->how.go_on, "Go on with a copy that was ended");
  add_format(*command, options->output);
  command->footer(copy_footer);
  run_when_chosen(*command, exit_code, options, copy);
}

}  // namespace fairlane::command
