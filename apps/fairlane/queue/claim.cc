// `fairlane claim`: leases for scripts.
#include <memory>
#include <optional>
#include <vector>

#include "arguments.h"
#include "queue/target.h"
#include "queue/token.h"

namespace fairlane::command {

namespace {

struct ClaimOptions {
  Target target = {};
  std::string worker = {};
  Duration visibility = std::chrono::seconds(30);
  std::int32_t min_priority = 0;
  std::optional<Duration> wait = std::nullopt;
  std::size_t count = 1;
};

std::vector<Lease<Bytes>> claim_some(const ClaimOptions& options, Transport<Bytes>& transport) {
  std::vector<Lease<Bytes>> leases;
  if (options.wait) {
    auto first = transport.claim_wait(options.worker, options.visibility, options.min_priority,
                                      *options.wait);
    if (!first) return leases;
    leases.push_back(*std::move(first));
  }
  if (leases.size() == options.count) return leases;
  auto more = transport.claim_batch(options.count - leases.size(), options.worker,
                                    options.visibility, options.min_priority);
  leases.insert(leases.end(), more.begin(), more.end());
  return leases;
}

int claim(const ClaimOptions& options) {
  survive_closed_pipes();
  const auto transport = options.target.open();
  const auto leases = claim_some(options, *transport);
  if (leases.empty()) return exit_failed;
  try {
    Printer printer(options.target.format());
    for (const auto& lease : leases) {
      printer.print(printer.record()
                        .bytes("token", to_token(lease))
                        .bytes("group", lease.group_id())
                        .number("seq", lease.seq())
                        .number("attempt", std::uint64_t{lease.attempt()})
                        .instant("expires_at", lease.expires_at())
                        .long_bytes("event", lease.event()));
    }
    printer.flush();
  } catch (const OutputError&) {
    // Nobody got them, so nobody will settle them.
    for (const auto& lease : leases) static_cast<void>(transport->release(lease));
    throw;
  }
  return exit_ok;
}

}  // namespace

void add_claim_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ClaimOptions>();
  auto* const command = app.add_subcommand("claim", "Lease the messages whose turn it is");
  add_target(*command, options->target);
  add_worker(*command, options->worker, "Who claims, for people to read");
  add_duration(*command, "--visibility", options->visibility, "How long the lease runs");
  command->add_option("--min-priority", options->min_priority, "Groups below it are left alone")
      ->capture_default_str()
      ->type_name("N");
  add_duration(*command, "--wait", options->wait, "Wait so long for one that can be claimed");
  add_count(*command, "-n,--count", options->count, "At most so many, of different groups");
  command->footer(
      "Each lease is printed with its token, which ack, nack, extend, release and reject take. A\n"
      "lease that could not be printed is handed back.\n\n"
      "Exit code: 0 at least one; 1 nothing can be claimed; 2 an error.\n\n"
      "Example: token=$(fairlane claim --visibility 5m | jq -r .token) && fairlane ack \"$token\"");
  run_when_chosen(*command, exit_code, options, claim);
}

}  // namespace fairlane::command
