// Kills processes that publish and work, at random, and judges what is left:
//
//   torture URL [--kills N] [--publishers N] [--workers N]
//
// "{folder}" in the URL stands for a folder made for the run. FAIRLANE_SEED: whom it kills when.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fairlane/sqlite_transport.h"
#include "roles.h"
#include "verdict.h"

namespace {

using namespace fairlane::torture;

/// A process that does one thing until it is killed.
class Victim {
 public:
  Victim(const Run& run, bool publishes, int number)
      : run_(run), publishes_(publishes), number_(number) {
    begin();
  }

  void kill_and_begin_again() {
    end();
    ++lives_;
    begin();
  }
  void end() const {
    ::kill(process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, 0);
    if (!WIFSIGNALED(status)) throw std::runtime_error("a process ended by itself");
  }

 private:
  void begin() {
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ > 0) return;
    const std::string name = std::to_string(number_) + "." + std::to_string(lives_);
    try {
      publishes_ ? publish_for_ever(run_, "p" + name) : work_for_ever(run_, "w" + name);
    } catch (const std::exception& error) {
      std::cerr << name << ": " << error.what() << std::endl;
    }
    ::_exit(1);
  }

  const Run& run_;
  const bool publishes_;
  const int number_;
  int lives_ = 1;
  pid_t process_ = 0;
};

std::string with_folder(std::string url, const std::string& folder) {
  const std::string mark = "{folder}";
  if (const auto at = url.find(mark); at != std::string::npos) url.replace(at, mark.size(), folder);
  return url;
}

std::uint64_t seed() {
  const char* const given = ::getenv("FAIRLANE_SEED");
  const std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
  std::cout << "FAIRLANE_SEED=" << seed << std::endl;
  return seed;
}

void torment(const Run& run, int kills, int publishers, int workers) {
  std::mt19937_64 random(seed());
  std::vector<Victim> victims;
  victims.reserve(static_cast<std::size_t>(publishers + workers));
  for (int i = 0; i < publishers; ++i) victims.emplace_back(run, true, i);
  for (int i = 0; i < workers; ++i) victims.emplace_back(run, false, i);
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    victims[random() % victims.size()].kill_and_begin_again();
  }
  for (const auto& victim : victims) victim.end();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Kills processes that publish and work, and judges what is left");
  Run run;
  int kills = 200;
  int publishers = 3;
  int workers = 3;
  app.add_option("URL", run.url, "The durable transport; {folder} is a folder made for the run")
      ->required();
  app.add_option("--kills", kills, "How many processes are killed")->capture_default_str();
  app.add_option("--publishers", publishers, "Processes that publish")->capture_default_str();
  app.add_option("--workers", workers, "Processes that work")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::string folder =
      (std::filesystem::temp_directory_path() / "fairlane-torture-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  run.folder = folder;
  run.url = with_folder(run.url, folder);
  try {
    fairlane::register_sqlite();
    torment(run, kills, publishers, workers);
    work_until_empty(run, "last");
  } catch (const std::exception& error) {
    std::cerr << "torture: " << error.what() << "; see " << folder << std::endl;
    return 1;
  }
  const Verdict verdict = judge(folder);
  for (const auto& complaint : verdict.complaints) std::cerr << complaint << '\n';
  std::cout << kills << " kills: " << verdict.published << " published, " << verdict.handled
            << " handled, " << verdict.repeated << " of them again, " << verdict.complaints.size()
            << " complaints" << std::endl;
  if (!verdict.complaints.empty()) return 1;
  std::filesystem::remove_all(folder);
  return 0;
}
