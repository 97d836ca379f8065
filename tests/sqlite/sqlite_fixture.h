// A folder with one queue's file in it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fairlane/error.h"
#include "fairlane/sqlite_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "support/temporary_folder.h"

namespace fairlane::sqlite {

class SqliteTest : public ::testing::Test {
 protected:
  SqliteOptions options() const {
    return {.path = path(), .synchronous = SqliteSynchronous::normal, .clock = clock};
  }
  std::unique_ptr<Transport<Bytes>> open() const { return open_sqlite(options()); }
  std::string path() const { return folder.path() + "/queue.db"; }

  /// The code of the `TransportError` that a call raises.
  template <class Call>
  static ErrorCode error_of(Call call) {
    try {
      call();
    } catch (const TransportError& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error was raised";
    return ErrorCode::not_found;
  }

  const test::TemporaryFolder folder;
  const std::shared_ptr<testing::ManualClock> clock = std::make_shared<testing::ManualClock>();
};

}  // namespace fairlane::sqlite
