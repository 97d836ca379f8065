// `fairlane dead`: the dead letters, listed, published again, or dropped.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <unordered_set>
#include <vector>

#include "queue/target.h"

namespace fairlane::command {

namespace {

struct ListOptions {
  Target target = {};
  std::size_t limit = 100;
  std::uint64_t after = 0;
};

int list(const ListOptions& options) {
  const auto transport = options.target.open();
  Printer printer(options.target.format());
  for (const auto& letter : transport->control().dead_letters(options.limit, options.after)) {
    printer.print(printer.record()
                      .number("seq", letter.seq)
                      .bytes("group", letter.group_id)
                      .number("attempts", std::uint64_t{letter.attempts})
                      .number("priority", letter.priority)
                      .bytes("worker", letter.worker_id)
                      .bytes("reason", letter.reason)
                      .long_bytes("event", *letter.event));
  }
  printer.flush();
  return exit_ok;
}

struct LettersOptions {
  Target target = {};
  std::vector<std::uint64_t> seqs = {};
  bool all = false;
};

/// Calls `act(seq)` for each letter that was chosen.
template <class Act>
void for_each_letter(const LettersOptions& options, Control<Bytes>& control, Act act) {
  if (options.all == !options.seqs.empty()) {
    throw std::invalid_argument("name the letters by SEQ, or say --all");
  }
  if (!options.all) {
    std::for_each(options.seqs.begin(), options.seqs.end(), act);
    return;
  }
  constexpr std::size_t page = 100;
  for (std::uint64_t last = 0;;) {
    const auto letters = control.dead_letters(page, last);
    for (const auto& letter : letters) act(letter.seq);
    if (letters.empty()) return;
    last = letters.back().seq;
  }
}

/// Has `act` deal with each letter that was chosen and fill in the record of what it did; none if
/// it did nothing. What was done is told also if the next one fails.
template <class Act>
int act_on_letters(const LettersOptions& options, Act act) {
  const auto transport = options.target.open();
  Printer printer(options.target.format());
  try {
    for_each_letter(options, transport->control(), [&](std::uint64_t seq) {
      Record record = printer.record();
      act(transport->control(), seq, record);
      if (!record.empty()) printer.print(record);
    });
  } catch (const TransportError&) {
    printer.flush();
    throw;
  }
  printer.flush();
  return exit_ok;
}

int redrive(const LettersOptions& options) {
  std::unordered_set<std::uint64_t> redriven;
  return act_on_letters(options, [&](Control<Bytes>& control, std::uint64_t seq, Record& record) {
    // One that died again meanwhile is not what was meant by all: it could go on for ever.
    if (options.all && redriven.contains(seq)) return;
    const auto new_seq = control.redrive(seq);
    redriven.insert(new_seq);
    record.number("seq", seq).number("new_seq", new_seq);
  });
}

int drop(const LettersOptions& options) {
  return act_on_letters(options, [](Control<Bytes>& control, std::uint64_t seq, Record& record) {
    control.drop_dead(seq);
    record.number("seq", seq);
  });
}

void add_letters(CLI::App& app, int& exit_code, const char* name, const char* description,
                 int (*body)(const LettersOptions&)) {
  const auto options = std::make_shared<LettersOptions>();
  auto* const command = app.add_subcommand(name, description);
  add_target(*command, options->target);
  command->add_option("SEQ", options->seqs, "Which letters")->type_name("");
  command->add_flag("--all", options->all, "All that there are");
  run_when_chosen(*command, exit_code, options, body);
}

}  // namespace

void add_dead_command(CLI::App& app, int& exit_code) {
  auto* const command = app.add_subcommand("dead", "List, publish again or drop dead letters");
  command->require_subcommand(1);
  const auto options = std::make_shared<ListOptions>();
  auto* const list_command = command->add_subcommand("list", "List dead letters, in order of seq");
  add_target(*list_command, options->target);
  add_count(*list_command, "--limit", options->limit, "At most so many");
  list_command->add_option("--after", options->after, "Begin behind this one")
      ->capture_default_str()
      ->type_name("SEQ");
  run_when_chosen(*list_command, exit_code, options, list);
  add_letters(*command, exit_code, "redrive",
              "Publish dead letters again, at the tail of their groups", redrive);
  add_letters(*command, exit_code, "drop", "Drop dead letters", drop);
}

}  // namespace fairlane::command
