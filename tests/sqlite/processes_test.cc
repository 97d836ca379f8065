// Eight processes on one file: no duplicate, nothing missing, and no error of locks to anybody.
//
// FAIRLANE_SQLITE_SECONDS: for how long (60).
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "sqlite_fixture.h"
#include "support/seed.h"

namespace fairlane::sqlite {
namespace {

constexpr int processes = 8;

/// Publishes and handles until the time is over; writes down what it published and what it handled.
int take_part(SqliteOptions options, int number, std::chrono::steady_clock::time_point end,
              const std::string& folder) {
  options.clock = nullptr;
  const std::string mine = std::to_string(number);
  std::ofstream published(folder + "/published-" + mine);
  std::ofstream handled(folder + "/handled-" + mine);
  try {
    const auto queue = open_sqlite(options);  // All at once: one of them makes the tables.
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      const std::string event = mine + ":" + std::to_string(i);
      queue->publish("g" + std::to_string(i % 13), event);
      published << event << '\n';
      if (const auto lease = queue->claim("p" + mine, std::chrono::seconds(600))) {
        handled << lease->event() << '\n';
        if (queue->ack(*lease) != Settled::done) return 3;
      }
    }
  } catch (const std::exception& error) {
    handled << "error: " << error.what() << '\n' << std::flush;
    return 2;
  }
  return published.flush() && handled.flush() ? 0 : 4;
}

void count_lines(const std::string& path, std::map<std::string, int>& counts) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) ++counts[line];
}

TEST_F(SqliteTest, EightProcessesShareOneFile) {
  const auto seconds = test::count_from_environment("FAIRLANE_SQLITE_SECONDS", 60);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(take_part(options(), i, end, folder.path()));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "2: an error, 3: a lease was lost";
  }
  std::map<std::string, int> published;
  std::map<std::string, int> handled;
  for (int i = 0; i < processes; ++i) {
    count_lines(folder.path() + "/published-" + std::to_string(i), published);
    count_lines(folder.path() + "/handled-" + std::to_string(i), handled);
  }
  auto by_host = options();
  by_host.clock = nullptr;
  const auto queue = open_sqlite(by_host);
  while (const auto lease = queue->claim("last", std::chrono::seconds(600))) {
    ++handled[lease->event()];
    ASSERT_EQ(queue->ack(*lease), Settled::done);
  }
  for (const auto& [line, count] : handled) {
    EXPECT_THAT(line, ::testing::Not(::testing::StartsWith("error"))) << count;
  }
  EXPECT_GT(published.size(), 100U);
  EXPECT_TRUE(published == handled) << "each event once, and nothing else";
  std::cout << published.size() << " events in " << seconds << " s" << std::endl;
}

}  // namespace
}  // namespace fairlane::sqlite
