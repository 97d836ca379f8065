// fairlane_bench: how fast Fairlane is, beside floors and peers that run by turns with it.
//
// Each workload below (`--help` explains them) compares figures of ours with one that is measured
// in the same process, by turns: A B A B .. . A figure is the median of its turns, a ratio is made
// of two medians. Google Benchmark runs and reports every turn; `--json` writes all of it together
// with the comparisons.
//
// glibc takes shortcuts in a process that never had a second thread: its mutexes and
// std::shared_ptr then work without atomic instructions. A queue exists for programs with threads,
// so this one keeps an idle thread from its first line on, and all pay the real price.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <thread>

#include "report.h"
#include "workload.h"

namespace fairlane::bench {

std::span<const Workload> workloads() {
  static constexpr Workload all[] = {
      {"cycle",
       "publish to a group at random, claim, ack, on one thread; ten messages per group wait; at "
       "1, "
       "1,000, 100,000 and --groups groups, both rotations; beside one mutex, a map of deques and "
       "a "
       "deque of groups, locked three times per cycle too",
       run_cycle},
      {"claim_ack",
       "claim and ack with --messages waiting in one group, with --groups below the floor, leased, "
       "parked; beside the same with 10",
       run_claim_ack},
      {"priorities", "claim and ack of 1,000 groups at 1, 16 and 1,000 distinct priorities",
       run_priorities},
      {"threads",
       "cycles of 1 to 16 threads on one queue of 1,000 groups; beside itself with one thread, and "
       "push + pop of the same events on a mutex and a deque, moodycamel's and oneTBB's queues, "
       "which know no groups and no leases",
       run_threads},
      {"worker",
       "a worker's two threads with an empty handler, from the first publish (by a third thread) "
       "to "
       "the last event handled, at 1,000 and 100,000 groups; beside asio with a strand per key on "
       "two threads",
       run_worker},
      {"wakeup",
       "publish to the handler of one who sleeps in claim_wait; beside a bare flag, mutex "
       "and condition variable; half of there and back",
       run_wakeup},
      {"memory", "bytes of the heap per message and per group, and after draining", run_memory},
      {"listing", "stats and pages of groups with --groups active", run_listing},
      {"exec", "fairlane run --mode exec with /bin/true; beside xargs -n 1 -P on the same lines",
       run_exec},
      {"lines", "fairlane run --mode lines with a handler in C, 2 workers", run_lines},
#ifdef FAIRLANE_BENCH_REDIS
      {"redis",
       "calls one by one and several under way, batches, and a multitude of something, on the "
       "server that FAIRLANE_TEST_REDIS names; beside scripts of bare list and sorted-set commands "
       "and a client that only formats and parses, and redis-benchmark",
       run_redis, "FAIRLANE_TEST_REDIS"},
#endif
#ifdef FAIRLANE_BENCH_SQLITE
      {"sqlite",
       "publish; claim and ack; ack_claim on a file of SQLite's, at synchronous normal and full, "
       "behind 1,000 and 1,000,000 messages; beside bare prepared transactions of the same shape",
       run_sqlite},
#endif
#ifdef FAIRLANE_BENCH_POSTGRES
      {"postgres",
       "publish; claim and ack; ack_claim; batches, on 1 and 4 connections to the server of "
       "FAIRLANE_TEST_POSTGRES (scripts/with-servers), synchronous_commit off and on; beside "
       "pgbench with bare statements; what notifications cost publishers; claim and ack with "
       "--groups waiting, below the floor, leased, parked",
       run_postgres, "FAIRLANE_TEST_POSTGRES"},
#endif
  };
  return all;
}

namespace {

/// A second thread that sleeps until the end of the program.
std::jthread idle_thread() {
  return std::jthread([](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    condition.wait(lock, stop, [] { return false; });
  });
}

std::string explanation() {
  std::string text = "Workloads:\n";
  for (const auto& each : workloads())
    text += fmt::format("  {}: {}.\n", each.name, each.explanation);
  return text + "Options that begin with --benchmark_ are Google Benchmark's.";
}

/// Where the figures come from, for Google Benchmark's report.
void describe_machine() {
  std::ifstream processors("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(processors, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  utsname system{};
  uname(&system);
  benchmark::AddCustomContext("cpu", model);
  benchmark::AddCustomContext("kernel", fmt::format("{} {}", system.sysname, system.release));
#ifdef __clang__
  benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
  benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
#ifdef NDEBUG
  benchmark::AddCustomContext("build", "optimized");
#else
  benchmark::AddCustomContext("build", "debug");
#endif
}

void run(Session& session, const std::vector<std::string>& chosen) {
  for (const auto& each : workloads()) {
    const auto is_chosen = std::find(chosen.begin(), chosen.end(), each.name) != chosen.end();
    if (!chosen.empty() && !is_chosen) continue;
    const bool needs_command = each.run == run_exec || each.run == run_lines;
    if (needs_command && session.settings().fairlane.empty()) {
      require(!is_chosen, "this workload needs --fairlane PATH");
      fmt::print(stderr, "{}: left out, there is no --fairlane PATH\n", each.name);
      continue;
    }
    if (each.server != nullptr && std::getenv(each.server) == nullptr) {
      require(!is_chosen, "this workload needs a server: scripts/with-servers");
      fmt::print(stderr, "{}: left out, there is no {}\n", each.name, each.server);
      continue;
    }
    each.run(session);
  }
}

struct Request {
  Settings settings;
  std::vector<std::string> chosen;
  std::string json_file;
};

void declare(CLI::App& app, Request& request) {
  Settings& settings = request.settings;
  std::vector<std::string> names;
  for (const auto& each : workloads()) names.emplace_back(each.name);
  const auto sizes = [](std::uint64_t least) {
    return CLI::Range(least, std::uint64_t{100'000'000});
  };
  app.footer(explanation());
  app.allow_extras();
  app.add_option("--workload", request.chosen, "Only this one; may be given several times")
      ->check(CLI::IsMember(names));
  app.add_option("--json", request.json_file, "Write all figures to this file");
  app.add_option("--repetitions", settings.repetitions, "Turns of each side")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--messages", settings.messages, "The large backlog")
      ->check(sizes(1))
      ->capture_default_str();
  app.add_option("--groups", settings.groups, "The large number of groups")
      ->check(sizes(100))
      ->capture_default_str();
  app.add_option("--fairlane", settings.fairlane, "The fairlane command");
  app.add_option("--lines-handler", settings.lines_handler, "The handler of the workload lines");
  app.add_flag("--smoke", settings.smoke, "Tiny sizes: whether it works, not how fast it is");
}

/// False if there is an argument that is not Google Benchmark's, which keeps `program`.
bool hand_over(char* program, std::vector<std::string> rest) {
  std::vector<char*> arguments{program};
  for (auto& each : rest) arguments.push_back(each.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

int main_of(int argc, char** argv) {
  const auto second_thread = idle_thread();
  Request request;
  request.settings.fairlane = FAIRLANE_BENCH_COMMAND;
  request.settings.lines_handler = FAIRLANE_BENCH_LINES_HANDLER;
  CLI::App app("How fast Fairlane is, beside floors and peers in the same run.", "fairlane_bench");
  declare(app, request);
  CLI11_PARSE(app, argc, argv);
  if (!hand_over(argv[0], app.remaining_for_passthrough())) return 2;
  if (request.settings.smoke) request.settings.repetitions = 1;
  describe_machine();
  Session session(request.settings);
  run(session, request.chosen);
  print_table(std::cout, session.rows());
  if (request.json_file.empty()) return 0;
  std::ofstream out(request.json_file);
  out << session.json() << '\n';
  out.close();
  require(out.good(), "the file of --json could not be written");
  return 0;
}

}  // namespace
}  // namespace fairlane::bench

int main(int argc, char** argv) {
  try {
    return fairlane::bench::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "fairlane_bench: " << error.what() << '\n';
    return 1;
  }
}
