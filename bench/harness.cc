#include "harness.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace fairlane::bench {

Side timed_side(std::string name, std::function<Timed()> turn) {
  return {std::move(name), 1, true, [turn = std::move(turn)](benchmark::State& state) {
            std::uint64_t items = 0;
            for (auto unused : state) {
              static_cast<void>(unused);
              const Timed timed = turn();
              state.SetIterationTime(timed.seconds);
              items += timed.items;
            }
            state.SetItemsProcessed(static_cast<std::int64_t>(items));
          }};
}

std::optional<bool> Row::reached() const {
  switch (bar) {
    case Bar::none:
      return std::nullopt;
    case Bar::at_most:
      return judged() <= limit;
    case Bar::at_least:
      return judged() >= limit;
  }
  return std::nullopt;
}

/// Passes everything on to Google Benchmark's JSON reporter and keeps the latest rate.
class Session::Collector : public benchmark::BenchmarkReporter {
 public:
  Collector() {
    json_.SetOutputStream(&text_);
    json_.SetErrorStream(&text_of_errors_);
  }

  bool ReportContext(const Context& context) override {
    if (!begun_) begun_ = json_.ReportContext(context);
    return begun_;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) throw std::runtime_error(run.error_message);
      latest_rate_ = run.counters.at("items_per_second");
    }
    json_.ReportRuns(runs);
  }

  double latest_rate() const { return latest_rate_; }

  nlohmann::json document() {
    if (!begun_) return nlohmann::json::object();
    json_.Finalize();
    return nlohmann::json::parse(text_.str());
  }

 private:
  benchmark::JSONReporter json_;
  std::ostringstream text_;
  std::ostringstream text_of_errors_;
  bool begun_ = false;
  double latest_rate_ = 0;
};

Session::Session(Settings settings)
    : settings_(std::move(settings)), collector_(std::make_unique<Collector>()) {}

Session::~Session() = default;

std::vector<double> Session::measure(const std::string& workload, const std::vector<Side>& sides) {
  for (const Side& side : sides) {
    auto* const registered =
        benchmark::RegisterBenchmark((workload + "/" + side.name).c_str(), side.run);
    registered->Iterations(side.iterations);
    if (side.keeps_time) {
      registered->UseManualTime();
    } else {
      registered->UseRealTime();
    }
  }
  std::vector<std::vector<double>> rates(sides.size());
  for (int turn = 0; turn < settings_.repetitions; ++turn) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto ran = benchmark::RunSpecifiedBenchmarks(
          collector_.get(), "^" + workload + "/" + sides[i].name + "/iterations:");
      require(ran == 1, "a side has to be found by its name, and alone");
      rates[i].push_back(collector_->latest_rate());
    }
  }
  benchmark::ClearRegisteredBenchmarks();
  std::vector<double> medians;
  for (auto& each : rates) {
    const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
    std::nth_element(each.begin(), middle, each.end());
    medians.push_back(*middle);
  }
  return medians;
}

void Session::add(Row row) {
  fmt::print(stderr, "{}: {}: {:.4g} {}", row.workload, row.what, row.ours, row.unit);
  if (row.theirs) {
    fmt::print(stderr, ", {} {:.4g}, ratio {:.2f}", row.against, *row.theirs, row.judged());
  }
  if (!row.reached().value_or(true)) fmt::print(stderr, " (not reached)");
  fmt::print(stderr, "\n");
  rows_.push_back(std::move(row));
}

std::string Session::json() const {
  auto document = collector_->document();
  document["repetitions"] = settings_.repetitions;
  auto& comparisons = document["comparisons"] = nlohmann::json::array();
  for (const Row& row : rows_) {
    nlohmann::json entry{
        {"workload", row.workload}, {"what", row.what}, {"ours", row.ours}, {"unit", row.unit}};
    if (row.theirs) {
      entry["against"] = row.against;
      entry["theirs"] = *row.theirs;
      entry["ratio"] = row.judged();
    }
    if (const auto reached = row.reached()) {
      entry[row.bar == Bar::at_most ? "at_most" : "at_least"] = row.limit;
      entry["reached"] = *reached;
    }
    comparisons.push_back(std::move(entry));
  }
  return document.dump(2);
}

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

}  // namespace fairlane::bench
