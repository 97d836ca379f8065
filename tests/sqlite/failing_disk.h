// A disk that fails as a test tells it to: SQLite's own, with faults put between.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace fairlane::sqlite {

/// While it exists, files are opened on it.
///
/// A call that would change a file (write, truncate, sync, make) counts as a change. From the one
/// that is told on it fails, once or until it is healed; a failed write may have written a part.
/// Threads: one, with no file open when it is made or destroyed.
class FailingDisk {
 public:
  enum class Fault {
    full,         ///< no room for what is written, from then on
    write_error,  ///< a write fails once
    sync_error,   ///< a sync fails once; writes do not
  };

  FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;
  ~FailingDisk();

  /// The `change`th change from now on, 0: the next.
  void fail(Fault fault, std::uint64_t change);
  void heal();
  /// Since the last `fail` or `heal`.
  std::uint64_t changes() const;
  bool has_failed() const;
};

}  // namespace fairlane::sqlite
