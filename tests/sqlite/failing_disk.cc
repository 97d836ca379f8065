#include "failing_disk.h"

#include <algorithm>
#include <new>
#include <optional>

namespace fairlane::sqlite {

namespace {

using Fault = FailingDisk::Fault;

/// What all files of the disk share.
struct Disk {
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs vfs = {};
  std::optional<Fault> fault = std::nullopt;
  std::uint64_t at = 0;
  std::uint64_t changes = 0;
  bool failed = false;

  /// Counts a change; does it fail?
  bool fails(bool sync) {
    const std::uint64_t change = changes++;
    if (!fault || change < at || sync != (*fault == Fault::sync_error)) return false;
    if (*fault != Fault::full && failed) return false;
    return failed = true;
  }
};
Disk disk;

/// SQLite allocates this; its real file stands behind it.
struct File {
  sqlite3_file base;
  sqlite3_file* real() noexcept { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real(sqlite3_file* file) noexcept { return reinterpret_cast<File*>(file)->real(); }

/// Calls a method of the real file.
template <auto Method, class... Arguments>
int pass(sqlite3_file* file, Arguments... arguments) {
  return (real(file)->pMethods->*Method)(real(file), arguments...);
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (!disk.fails(false)) return pass<&sqlite3_io_methods::xWrite>(file, bytes, size, offset);
  pass<&sqlite3_io_methods::xWrite>(file, bytes, size / 2, offset);
  return *disk.fault == Fault::full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (disk.fails(false)) return SQLITE_IOERR_TRUNCATE;
  return pass<&sqlite3_io_methods::xTruncate>(file, size);
}

/// What is not synced a machine that loses power may lose, and no test takes its power away.
int sync(sqlite3_file*, int) { return disk.fails(true) ? SQLITE_IOERR_FSYNC : SQLITE_OK; }

void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }

int device(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

int close(sqlite3_file* file) {
  const int code = pass<&sqlite3_io_methods::xClose>(file);
  file->pMethods = nullptr;
  return code;
}

/// The methods of version 2: what a log beside the file needs.
const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close,
    .xRead = pass<&sqlite3_io_methods::xRead>,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = pass<&sqlite3_io_methods::xFileSize>,
    .xLock = pass<&sqlite3_io_methods::xLock>,
    .xUnlock = pass<&sqlite3_io_methods::xUnlock>,
    .xCheckReservedLock = pass<&sqlite3_io_methods::xCheckReservedLock>,
    .xFileControl = pass<&sqlite3_io_methods::xFileControl>,
    .xSectorSize = pass<&sqlite3_io_methods::xSectorSize>,
    .xDeviceCharacteristics = device,
    .xShmMap = pass<&sqlite3_io_methods::xShmMap>,
    .xShmLock = pass<&sqlite3_io_methods::xShmLock>,
    .xShmBarrier = barrier,
    .xShmUnmap = pass<&sqlite3_io_methods::xShmUnmap>,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  const int code = disk.real->xOpen(disk.real, name, real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &methods;
  return code;
}

}  // namespace

FailingDisk::FailingDisk() {
  disk = {};
  disk.real = sqlite3_vfs_find(nullptr);
  disk.vfs = *disk.real;
  disk.vfs.szOsFile = static_cast<int>(sizeof(File)) + disk.real->szOsFile;
  disk.vfs.zName = "failing";
  disk.vfs.pNext = nullptr;
  disk.vfs.xOpen = open;
  sqlite3_vfs_register(&disk.vfs, 1);
}

FailingDisk::~FailingDisk() {
  sqlite3_vfs_unregister(&disk.vfs);
  sqlite3_vfs_register(disk.real, 1);
}

void FailingDisk::fail(Fault fault, std::uint64_t change) {
  heal();
  disk.fault = fault;
  disk.at = change;
}

void FailingDisk::heal() {
  disk.fault.reset();
  disk.changes = 0;
  disk.failed = false;
}

std::uint64_t FailingDisk::changes() const { return disk.changes; }

bool FailingDisk::has_failed() const { return disk.failed; }

}  // namespace fairlane::sqlite
