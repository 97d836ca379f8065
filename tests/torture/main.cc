// Kills processes that publish and work, and the server they use, at random, and judges what is
// left:
//
//   torture 'sqlite:{folder}/queue.db' --kills 200
//   torture '{server}' --server tests/servers/redis --server-kills 40 --proxy tests/torture/proxy
//
// In the URL "{folder}" stands for a folder made for the run, "{server}" for the URL of the server
// that the script starts there, or of the proxy in front of it, which delays and cuts connections.
// FAIRLANE_SEED: who is killed when, and what the proxy does.
#include <stdlib.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#ifdef FAIRLANE_HAS_POSTGRES
#include "fairlane/postgres_transport.h"
#endif
#ifdef FAIRLANE_HAS_REDIS
#include "fairlane/redis_transport.h"
#endif
#ifdef FAIRLANE_HAS_SHARDED
#include "fairlane/sharded_transport.h"
#endif
#ifdef FAIRLANE_HAS_SQLITE
#include "fairlane/sqlite_transport.h"
#endif
#include "programs.h"
#include "roles.h"
#include "support/seed.h"
#include "verdict.h"
#include "victims.h"

namespace {

using namespace fairlane::torture;

struct Wishes {
  std::string url;
  int kills = 200;
  int publishers = 3;
  int workers = 3;
  int groups = 32;
  std::string server;  ///< the script that starts one; empty: none
  int server_kills = 0;
  int pause_ms = 60;  ///< at most, before a process is killed
  std::string proxy;  ///< the program; empty: none
};

/// Wherever the mark stands.
std::string with(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

void register_engines() {
#ifdef FAIRLANE_HAS_POSTGRES
  fairlane::register_postgres();
#endif
#ifdef FAIRLANE_HAS_REDIS
  fairlane::register_redis();
#endif
#ifdef FAIRLANE_HAS_SHARDED
  fairlane::register_sharded();
#endif
#ifdef FAIRLANE_HAS_SQLITE
  fairlane::register_sqlite();
#endif
}

void torment(const Run& run, const Wishes& wishes, const Server* server, std::mt19937_64& random) {
  const auto sleep = [&](unsigned most) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % most));
  };
  auto victims = make_victims(run, wishes.publishers, wishes.workers);
  const auto kill_one = [&] { victims[random() % victims.size()].kill_and_begin_again(); };
  std::vector<bool> is_of_server(static_cast<std::size_t>(wishes.kills), false);
  is_of_server.resize(is_of_server.size() + static_cast<std::size_t>(wishes.server_kills), true);
  std::shuffle(is_of_server.begin(), is_of_server.end(), random);
  for (const bool of_server : is_of_server) {
    sleep(of_server ? 300'000 : 1000 * static_cast<unsigned>(wishes.pause_ms));
    if (of_server) {
      server->kill();
      sleep(100'000);
      server->start();
    } else {
      kill_one();
    }
  }
  for (const auto& victim : victims) victim.kill();
}

/// Made and tormented; returns what the proxy tells.
std::string run_in(const std::string& folder, const Wishes& wishes, Run& run) {
  const std::uint64_t seed = fairlane::test::seed();
  std::mt19937_64 random(seed);
  std::optional<Server> server;
  std::optional<Proxy> proxy;
  std::string told;
  run.folder = folder;
  run.groups = wishes.groups;
  run.url = with(wishes.url, "{folder}", folder);
  if (!wishes.server.empty()) {
    ::chmod(folder.c_str(), 0711);  // The server's user may be another.
    server.emplace(wishes.server, folder + "/server");
  }
  Run tormented = run;
  if (server) run.url = with(run.url, "{server}", server->url());
  if (!wishes.proxy.empty()) proxy.emplace(wishes.proxy, server.value().url(), seed);
  if (server) tormented.url = with(tormented.url, "{server}", proxy ? proxy->url() : server->url());
  register_engines();
  torment(tormented, wishes, server ? &*server : nullptr, random);
  if (proxy) told = proxy->end();
  work_until_empty(run, "last");
  return told;
}

void add_options(CLI::App& app, Wishes& wishes) {
  app.add_option("URL", wishes.url, "The durable transport")->required();
  app.add_option("--kills", wishes.kills, "How many processes are killed")->capture_default_str();
  app.add_option("--pause", wishes.pause_ms, "At most so many milliseconds before each of these")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  app.add_option("--publishers", wishes.publishers, "Processes that publish")
      ->capture_default_str();
  app.add_option("--workers", wishes.workers, "Processes that work")->capture_default_str();
  app.add_option("--groups", wishes.groups, "Groups they share")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  auto* const server =
      app.add_option("--server", wishes.server, "One of tests/servers: a server of this run's own")
          ->check(CLI::ExistingFile);
  app.add_option("--server-kills", wishes.server_kills, "How often that one is killed")
      ->needs(server)
      ->capture_default_str();
  app.add_option("--proxy", wishes.proxy,
                 "tests/torture/proxy: between the processes and the server")
      ->needs(server)
      ->check(CLI::ExistingFile);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Kills processes that publish and work, and judges what is left");
  Wishes wishes;
  add_options(app, wishes);
  CLI11_PARSE(app, argc, argv);

  std::string folder =
      (std::filesystem::temp_directory_path() / "fairlane-torture-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  // Written before each answer, so that what was answered outlives the server.
  ::setenv("REDIS_APPENDFSYNC", "always", 0);
  Run run;
  std::string told;
  try {
    told = run_in(folder, wishes, run);
  } catch (const std::exception& error) {
    std::cerr << "torture: " << error.what() << "; see " << folder << std::endl;
    return 1;
  }
  Verdict verdict = judge(folder);
  // Where hardly anything went on nothing is proven.
  if (verdict.published < 20) verdict.complaints.emplace_back("too little was published");
  for (const auto& complaint : verdict.complaints) std::cerr << complaint << '\n';
  std::cout << told << wishes.kills << " kills, " << wishes.server_kills
            << " of the server: " << verdict.published << " published, " << verdict.maybe
            << " maybe; " << verdict.handled << " handled, " << verdict.repeated
            << " of them again, " << verdict.late << " late; " << verdict.complaints.size()
            << " complaints" << std::endl;
  if (!verdict.complaints.empty()) return 1;
  std::filesystem::remove_all(folder);
  return 0;
}
