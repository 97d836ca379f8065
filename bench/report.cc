#include "report.h"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>

namespace fairlane::bench {
namespace {

std::string amount(double value) {
  if (value >= 1e5) return fmt::format("{:.3g} M", value / 1e6);
  return fmt::format("{:.4g}", value);
}

std::string bar(const Row& row) {
  if (row.bar == Bar::none) return "-";
  return fmt::format("{} {}", row.bar == Bar::at_most ? "<=" : ">=", amount(row.limit));
}

std::string reached(const Row& row) {
  const auto answer = row.reached();
  return !answer ? "-" : *answer ? "yes" : "NO";
}

}  // namespace

void print_table(std::ostream& out, const std::vector<Row>& rows) {
  constexpr auto line = "{:<11} {:<{}} {:>14} {:>11}  {:<{}} {:>6} {:>8}  {}\n";
  std::size_t what = 4;
  std::size_t against = 7;
  for (const Row& row : rows) {
    what = std::max(what, row.what.size());
    against = std::max(against, row.against.size());
  }
  fmt::print(out, line, "workload", "what", what, "ours", "theirs", "against", against, "ratio",
             "bar", "reached");
  for (const Row& row : rows) {
    fmt::print(out, line, row.workload, row.what, what, amount(row.ours) + " " + row.unit,
               row.theirs ? amount(*row.theirs) : "-", row.theirs ? row.against : "-", against,
               row.theirs ? fmt::format("{:.2f}", row.judged()) : "-", bar(row), reached(row));
  }
}

}  // namespace fairlane::bench
