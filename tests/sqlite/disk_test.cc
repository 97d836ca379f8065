// A disk that fails at any of its writes: a call that raised did as its error says, and no more.
#include "failing_disk.h"
#include "sqlite_fixture.h"
#include "support/history.h"
#include "support/visible_state.h"

namespace fairlane::sqlite {
namespace {

using Fault = FailingDisk::Fault;

class DiskTest : public SqliteTest {
 protected:
  /// What the queue shows after each step, 0: before the first.
  static std::vector<std::string> states(const SqliteOptions& options,
                                         testing::ManualClock& clock) {
    const auto queue = open_sqlite(options);
    test::Scene scene{*queue, clock};
    std::vector<std::string> states{test::visible_state(*queue)};
    for (const test::Step& step : test::history()) {
      step(scene);
      states.push_back(test::visible_state(*queue));
    }
    return states;
  }

  /// The same options for a file and a clock of their own.
  SqliteOptions new_options(const std::string& name, SqliteSynchronous synchronous) {
    auto one = options();
    one.path = folder.path() + "/" + name;
    one.synchronous = synchronous;
    one.queue = test::history_options;
    clock->set(Instant{});
    return one;
  }

  /// Fails at one change of the history; false if the history is over before.
  bool survives(Fault fault, std::uint64_t change, const std::vector<std::string>& expected);

  FailingDisk disk;
};

/// How many steps were done, and what ended them.
struct Ending {
  std::size_t done = 0;
  std::optional<ErrorCode> error = std::nullopt;
};

Ending run(test::Scene& scene) {
  Ending ending;
  try {
    for (const test::Step& step : test::history()) {
      step(scene);
      ++ending.done;
    }
  } catch (const TransportError& error) {
    ending.error = error.code();
  }
  return ending;
}

bool DiskTest::survives(Fault fault, std::uint64_t change,
                        const std::vector<std::string>& expected) {
  const auto one =
      new_options("queue-" + std::to_string(change) + ".db",
                  fault == Fault::sync_error ? SqliteSynchronous::full : SqliteSynchronous::normal);
  auto queue = open_sqlite(one);
  test::Scene scene{*queue, *clock};
  disk.fail(fault, change);
  const Ending ending = run(scene);
  const bool failed = disk.has_failed();
  disk.heal();
  if (!ending.error) {
    EXPECT_FALSE(failed) << "a call passed over it";
    return false;
  }
  const bool unknown = ending.error == ErrorCode::outcome_unknown;
  EXPECT_TRUE(unknown || ending.error == ErrorCode::unavailable) << to_string(*ending.error);
  const std::string now = test::visible_state(*queue);
  EXPECT_TRUE(now == expected[ending.done] || (unknown && now == expected[ending.done + 1]))
      << "after " << to_string(*ending.error) << " in step " << ending.done << ":\n"
      << now << "instead of\n"
      << expected[ending.done];
  queue.reset();
  queue = open_sqlite(one);
  EXPECT_EQ(test::visible_state(*queue), now) << "another opens it";
  EXPECT_GT(queue->publish("after", "that"), 0U);
  return true;
}

class FaultTest : public DiskTest, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultTest, AnyOfItsChangesMayFail) {
  const auto expected = states(new_options("whole.db", SqliteSynchronous::normal), *clock);
  std::uint64_t failures = 0;
  while (survives(GetParam(), failures, expected) && !HasFailure()) ++failures;
  EXPECT_GT(failures, test::history().size()) << "a step changes the file more than once";
  std::cout << "fails at " << failures << " places" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, FaultTest,
                         ::testing::Values(Fault::full, Fault::write_error, Fault::sync_error));

TEST_F(DiskTest, ANewFileOnAFullDiskIsUnavailableUntilThereIsRoom) {
  std::uint64_t failures = 0;
  for (bool whole = false; !whole; ++failures) {
    const auto one = new_options("new-" + std::to_string(failures), SqliteSynchronous::normal);
    disk.fail(Fault::full, failures);
    try {
      open_sqlite(one);
      whole = !disk.has_failed();
    } catch (const TransportError& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
    }
    disk.heal();
    EXPECT_EQ(open_sqlite(one)->publish("a", "1"), 1U);
  }
  EXPECT_GT(failures, 10U);
}

}  // namespace
}  // namespace fairlane::sqlite
