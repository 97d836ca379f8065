// `fairlane ack`, `nack`, `extend`, `release`, `reject`: what a token is good for.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "arguments.h"
#include "queue/target.h"
#include "queue/token.h"

namespace fairlane::command {

namespace {

struct SettleOptions {
  Target target = {};
  std::vector<std::string> tokens = {};
  Duration delay = {};
  Duration visibility = std::chrono::seconds(30);
  std::string reason = {};
};

/// Has `settle` act through the leases, and tells what came of each.
template <class Settle>
int settle_all(const SettleOptions& options, Settle settle) {
  std::vector<Lease<Bytes>> leases;
  for (const auto& token : options.tokens) leases.push_back(from_token(token));
  const auto transport = options.target.open();
  const std::vector<Settled> settled = settle(*transport, leases);
  Printer printer(options.target.format());
  int exit_code = exit_ok;
  for (std::size_t i = 0; i < leases.size(); ++i) {
    printer.print(printer.record()
                      .number("seq", leases[i].seq())
                      .bytes("group", leases[i].group_id())
                      .bytes("settled", to_string(settled[i])));
    if (settled[i] == Settled::done) continue;
    exit_code = exit_failed;
    complain(fmt::format("stale: the lease of seq {} is no longer current", leases[i].seq()));
  }
  printer.flush();
  return exit_code;
}

int ack(const SettleOptions& options) {
  return settle_all(
      options, [](auto& transport, const auto& leases) { return transport.ack_batch(leases); });
}
int nack(const SettleOptions& options) {
  return settle_all(options, [&](auto& transport, const auto& leases) {
    return std::vector{transport.nack(leases.front(), options.delay)};
  });
}
int extend(const SettleOptions& options) {
  return settle_all(options, [&](auto& transport, const auto& leases) {
    return std::vector{transport.extend(leases.front(), options.visibility)};
  });
}
int release(const SettleOptions& options) {
  return settle_all(options, [](auto& transport, const auto& leases) {
    return std::vector{transport.release(leases.front())};
  });
}
int reject(const SettleOptions& options) {
  return settle_all(options, [&](auto& transport, const auto& leases) {
    return std::vector{transport.reject(leases.front(), options.reason)};
  });
}

/// A subcommand that takes one token, or several.
struct Settling {
  const char* name;
  const char* description;
  int (*body)(const SettleOptions&);
  bool takes_several = false;
};

CLI::App* add_settling(CLI::App& app, int& exit_code, const Settling& settling,
                       const std::shared_ptr<SettleOptions>& options) {
  auto* const command = app.add_subcommand(settling.name, settling.description);
  add_target(*command, options->target);
  command
      ->add_option(
          "TOKEN", options->tokens,
          settling.takes_several ? "What claim printed; all at one instant" : "What claim printed")
      ->required()
      ->expected(1, settling.takes_several ? CLI::detail::expected_max_vector_size : 1)
      ->allow_extra_args(settling.takes_several)
      ->type_name("");
  command->footer(
      "Exit code: 0 done; 1 stale: the lease is no longer current, nothing was changed; 2 "
      "an\nerror, or no token.");
  run_when_chosen(*command, exit_code, options, settling.body);
  return command;
}

}  // namespace

void add_settle_commands(CLI::App& app, int& exit_code) {
  const auto options = [] { return std::make_shared<SettleOptions>(); };
  add_settling(app, exit_code, {"ack", "Remove messages that were handled", ack, true}, options());

  const auto nacked = options();
  auto* const nack_command = add_settling(
      app, exit_code, {"nack", "Put a message back for another attempt", nack}, nacked);
  add_duration(*nack_command, "--delay", nacked->delay, "Its group waits so long");

  const auto extended = options();
  auto* const extend_command =
      add_settling(app, exit_code, {"extend", "Let a lease run on", extend}, extended);
  add_duration(*extend_command, "--visibility", extended->visibility, "How long, from now on");

  add_settling(app, exit_code,
               {"release", "Hand a message back unhandled; the attempt does not count", release},
               options());

  const auto rejected = options();
  auto* const reject_command = add_settling(
      app, exit_code, {"reject", "Move a message to the dead letters", reject}, rejected);
  reject_command->add_option("--reason", rejected->reason, "Why, for people to read")
      ->type_name("TEXT");
}

}  // namespace fairlane::command
