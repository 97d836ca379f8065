// How the benchmarks measure: what is compared runs by turns in one process, each side as a Google
// Benchmark, and what counts is the median of the turns.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairlane::bench {

/// What `fairlane_bench` was asked for.
struct Settings {
  int repetitions = 5;                  ///< turns of each side
  bool smoke = false;                   ///< tiny sizes: whether it works, not how fast
  std::uint64_t messages = 10'000'000;  ///< the large backlog
  std::uint64_t groups = 1'000'000;     ///< the large number of groups
  std::string fairlane;                 ///< path of the command
  std::string lines_handler;            ///< path of the handler of `--mode lines`

  /// `full`, or `tiny` in a smoke run.
  template <class Number>
  Number size(Number full, Number tiny) const {
    return smoke ? tiny : full;
  }
};

/// What a side that keeps its own time reports of one turn.
struct Timed {
  double seconds;
  std::uint64_t items;
};

/// One of the things that are compared.
struct Side {
  std::string name;
  std::int64_t iterations;
  bool keeps_time;
  std::function<void(benchmark::State&)> run;
};

/// A side whose turn is `iterations` calls of `step`, each one item.
template <class Step>
Side loop_side(std::string name, std::int64_t iterations, Step step) {
  return {std::move(name), iterations, false, [step](benchmark::State& state) mutable {
            for (auto unused : state) {
              static_cast<void>(unused);
              step();
            }
            state.SetItemsProcessed(state.iterations());
          }};
}

/// A side whose turn is one call of `turn`, which times itself.
Side timed_side(std::string name, std::function<Timed()> turn);

/// What a figure has to reach.
enum class Bar { none, at_most, at_least };

/// A line of the table: a figure of ours beside the one it is judged by.
struct Row {
  std::string workload;
  std::string what;
  double ours = 0;
  std::string unit;          ///< of both figures
  std::string against = {};  ///< what `theirs` is; empty: the figure stands alone
  std::optional<double> theirs = {};
  Bar bar = Bar::none;
  double limit = 0;  ///< of the ratio ours / theirs; of the figure itself where it stands alone

  double judged() const { return theirs ? ours / *theirs : ours; }
  /// Nothing where there is no bar.
  std::optional<bool> reached() const;
};

/// Runs the sides, keeps what Google Benchmark reports and the rows made of it.
class Session {
 public:
  explicit Session(Settings settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Settings& settings() const { return settings_; }
  const std::vector<Row>& rows() const { return rows_; }

  /// Runs the sides by turns: A B A B .. . Returns the median of items per second of each.
  std::vector<double> measure(const std::string& workload, const std::vector<Side>& sides);

  /// Takes a line into the table, and says it at once.
  void add(Row row);

  /// The document of Google Benchmark's JSON reporter, with the rows as `comparisons`.
  std::string json() const;

 private:
  class Collector;

  Settings settings_;
  std::unique_ptr<Collector> collector_;
  std::vector<Row> rows_;
};

/// Nanoseconds for one item.
constexpr double nanoseconds(double items_per_second) { return 1e9 / items_per_second; }

/// Ends the program with an error if what a workload relies on does not hold.
void require(bool holds, const char* what);

}  // namespace fairlane::bench
