#include "run/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fairlane::run {

namespace {

double rate_of(std::uint64_t events, std::chrono::duration<double> elapsed) {
  return static_cast<double>(events) / std::max(elapsed.count(), 1e-6);
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, 3.6e6)));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_line(const RunState& state, std::chrono::duration<double> elapsed) {
  const Counters& counters = state.counters;
  const std::uint64_t ended = counters.done + counters.dead;
  const std::uint64_t read = counters.read;
  const double rate = rate_of(ended, elapsed);
  // How many there will be is known once the input has been read to its end.
  const bool known = state.reading_done();
  auto line = fmt::format("{} of {}{} done, {:.0f}/s", counters.done, read, known ? "" : "+", rate);
  if (known && ended > 0 && read > ended) {
    line += fmt::format(", {} left", time_left(static_cast<double>(read - ended) / rate));
  }
  return line + fmt::format(", {} groups, {} retries, {} dead", counters.groups, counters.retries,
                            counters.dead);
}

std::string summary(const RunState& state, std::chrono::duration<double> elapsed) {
  const Counters& counters = state.counters;
  const auto [p50, p99] = state.wait_p50_p99_seconds();
  auto text =
      fmt::format("{} events in {} groups: {} done, {} dead, {} retries, {} stale", counters.read,
                  counters.groups, counters.done, counters.dead, counters.retries, counters.stale);
  if (counters.bad > 0) text += fmt::format(", {} bad lines", counters.bad);
  return text + fmt::format("; {:.2f} seconds, {:.0f} events/s, wait p50 {:.1f} ms p99 {:.1f} ms",
                            elapsed.count(), rate_of(counters.done + counters.dead, elapsed),
                            p50 * 1e3, p99 * 1e3);
}

std::string work_progress_line(const RunState& state, std::chrono::duration<double> elapsed) {
  const Counters& counters = state.counters;
  return fmt::format("{} done, {:.0f}/s, {} retries, {} dead", counters.done,
                     rate_of(counters.done + counters.dead, elapsed), counters.retries,
                     counters.dead);
}

std::string work_summary(const RunState& state, std::chrono::duration<double> elapsed) {
  const Counters& counters = state.counters;
  return fmt::format("{} done, {} dead, {} retries, {} stale; {:.2f} seconds, {:.0f} events/s",
                     counters.done, counters.dead, counters.retries, counters.stale,
                     elapsed.count(), rate_of(counters.done + counters.dead, elapsed));
}

}  // namespace fairlane::run
