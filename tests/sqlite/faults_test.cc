// Files that are broken, full or forbidden: an error with its code, and nothing is lost.
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sqlite_fixture.h"

namespace fairlane::sqlite {
namespace {

using std::chrono::seconds;

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(SqliteTest, AFileThatIsNoneOfSqlitesIsCorrupt) {
  write_file(path(), std::string(8192, 'x'));
  EXPECT_EQ(error_of([&] { open(); }), ErrorCode::corrupt);
}

TEST_F(SqliteTest, AnEmptyFileBecomesAQueue) {
  write_file(path(), "");
  EXPECT_EQ(open()->publish("a", "1"), 1U);
}

TEST_F(SqliteTest, AFileThatWasCutOrOverwrittenIsAnErrorAndNoCrash) {
  {
    const auto queue = open();
    for (int i = 0; i < 200; ++i) queue->publish("g" + std::to_string(i), std::string(500, 'e'));
  }
  std::ifstream file(path(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(whole.size(), 100'000U);
  for (std::size_t at = 100; at < whole.size(); at += whole.size() / 40) {
    for (const bool cut : {true, false}) {
      std::string broken = whole;
      if (cut) {
        broken.resize(at);
      } else {
        broken.replace(at, std::min<std::size_t>(2000, broken.size() - at),
                       std::string(2000, '\xff'));
      }
      std::filesystem::remove(path() + "-wal");
      std::filesystem::remove(path() + "-shm");
      write_file(path(), broken);
      try {
        const auto queue = open();
        while (const auto lease = queue->claim("w", seconds(30))) {
          static_cast<void>(queue->ack(*lease));
        }
        queue->control().stats();
        queue->publish("a", "1");
      } catch (const TransportError& error) {
        EXPECT_TRUE(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::unavailable ||
                    error.code() == ErrorCode::incompatible)
            << error.what();
      } catch (const std::bad_alloc&) {
        // A size that was overwritten may ask for more than there is.
      }
    }
  }
}

TEST_F(SqliteTest, AFolderThatIsNotThereIsUnavailable) {
  auto wrong = options();
  wrong.path = folder.path() + "/none/queue.db";
  EXPECT_EQ(error_of([&] { open_sqlite(wrong); }), ErrorCode::unavailable);
  wrong.path = folder.path();
  EXPECT_EQ(error_of([&] { open_sqlite(wrong); }), ErrorCode::unavailable);
}

/// What `call` returned in a child that may do less than we.
template <class Call>
int in_child(Call call) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(call());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "it crashed";
  return WEXITSTATUS(status);
}

TEST_F(SqliteTest, AFileThatMayNotBeWrittenIsUnavailable) {
  { open()->publish("a", "1"); }
  ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const int code = in_child([&] {
    // The superuser may write anything.
    if (::getuid() == 0 && ::setuid(65534) != 0) return 100;
    return static_cast<int>(error_of([&] { open()->publish("b", "2"); }));
  });
  ::chmod(folder.path().c_str(), 0700);
  ::chmod(path().c_str(), 0600);
  EXPECT_EQ(code, static_cast<int>(ErrorCode::unavailable));
  EXPECT_EQ(open()->control().stats().ready, 1U);
}

TEST_F(SqliteTest, FilesOfWhichOneMayNotBeWrittenAreUnavailable) {
  const auto holds_the_log = open();
  holds_the_log->publish("a", "1");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const std::vector<std::string> files{path(), path() + "-wal"};
  for (const auto& forbidden : files) {
    for (const auto& file : files) {
      ASSERT_EQ(::chmod(file.c_str(), file == forbidden ? 0444 : 0666), 0);
    }
    const int code = in_child([&] {
      if (::getuid() == 0 && ::setuid(65534) != 0) return 100;
      return static_cast<int>(error_of([&] { open()->publish("b", "2"); }));
    });
    EXPECT_EQ(code, static_cast<int>(ErrorCode::unavailable)) << forbidden;
  }
  EXPECT_EQ(holds_the_log->control().stats().ready, 1U);
  EXPECT_EQ(holds_the_log->publish("a", "2"), 2U);
}

TEST_F(SqliteTest, WhereNoMoreCanBeWrittenNothingIsHalfStored) {
  { open()->publish("a", "1"); }
  const int stored = in_child([&] {
    // As on a full disk: files may not grow past this.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'000'000, 1'000'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 255;
    const auto queue = open();
    int published = 0;
    try {
      for (; published < 250; ++published) queue->publish("a", std::string(5000, 'e'));
    } catch (const TransportError& error) {
      const bool known =
          error.code() == ErrorCode::unavailable || error.code() == ErrorCode::outcome_unknown;
      if (!known) return 254;
    }
    return published;
  });
  ASSERT_LT(stored, 250);
  ASSERT_GT(stored, 10);
  const auto queue = open();
  const auto held = queue->control().inspect("a").messages;
  EXPECT_GE(held, static_cast<std::uint64_t>(stored) + 1);
  EXPECT_LE(held, static_cast<std::uint64_t>(stored) + 2) << "one whose outcome was unknown";
  std::uint64_t drained = 0;
  for (; const auto lease = queue->claim("w", seconds(30)); ++drained) {
    ASSERT_EQ(queue->ack(*lease), Settled::done);
  }
  EXPECT_EQ(drained, held);
}

TEST_F(SqliteTest, ATransactionThatNobodyEndsIsUnavailableAfterTheTimeout) {
  auto impatient = options();
  impatient.busy_timeout = std::chrono::milliseconds(20);
  const auto queue = open_sqlite(impatient);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(error_of([&] { queue->publish("a", "1"); }), ErrorCode::unavailable);
  sqlite3_close(other);
  EXPECT_EQ(queue->publish("a", "1"), 1U) << "what was refused took no number";
}

}  // namespace
}  // namespace fairlane::sqlite
