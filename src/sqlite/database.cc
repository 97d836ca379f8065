#include "sqlite/database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <thread>

#include "fairlane/error.h"

namespace fairlane::sqlite {

namespace {

ErrorCode meaning(int code) noexcept {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return ErrorCode::corrupt;
    case SQLITE_TOOBIG:
      return ErrorCode::too_large;
    default:
      return ErrorCode::unavailable;
  }
}

/// SQLite would make it readable by everyone; what it makes beside it takes the file's mode.
void make_private(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) {
    ::close(file);
    return;
  }
  throw TransportError(ErrorCode::unavailable,
                       "cannot open \"" + path + "\": " + std::strerror(errno));
}

}  // namespace

Database::Database(const std::string& path, int busy_timeout_ms) : busy_timeout_(busy_timeout_ms) {
  make_private(path);
  const int code =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const std::string why = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close_v2(handle_);
    throw TransportError(meaning(code), "cannot open \"" + path + "\": " + why);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_handler(handle_, wait_for_lock, this);
  try {
    prepare("BEGIN IMMEDIATE", begin_);
    prepare("COMMIT", commit_);
  } catch (...) {
    close();
    throw;
  }
}

/// SQLite's own handler soon tries ten times a second only, so beside processes that take the lock
/// again as soon as they let it go it may find it taken for long. Tries that are often and at odd
/// times find a gap.
int Database::wait_for_lock(void* self, int tries) noexcept {
  constexpr std::chrono::microseconds shortest{1000};
  constexpr int most_doublings = 4;
  auto& database = *static_cast<Database*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0) database.gives_up_ = now + database.busy_timeout_;
  if (now >= database.gives_up_) return 0;
  unsigned odd = 0;
  sqlite3_randomness(sizeof(odd), &odd);
  const auto longest = shortest * (1 << std::min(tries, most_doublings));
  std::this_thread::sleep_for(longest / 2 + longest * (odd % 1024) / 1024);
  return 1;
}

Database::~Database() { close(); }

void Database::close() noexcept {
  sqlite3_finalize(begin_);
  sqlite3_finalize(commit_);
  sqlite3_close_v2(handle_);
}

void Database::prepare(const char* sql, sqlite3_stmt*& statement) {
  check(sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
}

void Database::begin() {
  const int code = sqlite3_step(begin_);
  sqlite3_reset(begin_);
  check(code);
}

int Database::commit() noexcept {
  const int code = sqlite3_step(commit_);
  sqlite3_reset(commit_);
  return code;
}

void Database::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) fail(code);
}

void Database::fail(int code) const {
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  throw TransportError(meaning(code), std::string("the file of the queue: ") +
                                          sqlite3_errmsg(handle_) + " (" + sqlite3_errstr(code) +
                                          ")");
}

void Database::execute(const char* sql) {
  check(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
}

void Statement::bind(int place, std::string_view bytes) {
  // An empty view may point nowhere, which would be NULL.
  const char* const data = bytes.data() != nullptr ? bytes.data() : "";
  check(sqlite3_bind_blob64(handle_, place, data, bytes.size(), SQLITE_STATIC));
}

bool Statement::Run::next() {
  const int code = sqlite3_step(statement_.handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.database_.fail(code);
  return false;
}

std::string_view Statement::Run::bytes(int column) const noexcept {
  const void* const data = sqlite3_column_blob(statement_.handle_, column);
  const int size = sqlite3_column_bytes(statement_.handle_, column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Transaction::~Transaction() {
  // What failed may have rolled back by itself.
  if (open_ && sqlite3_get_autocommit(database_.handle()) == 0) {
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  const int code = database_.commit();
  if (code == SQLITE_DONE) {
    open_ = false;
    return;
  }
  if ((code & 0xff) == SQLITE_IOERR) {
    throw TransportError(ErrorCode::outcome_unknown, std::string("the disk failed in a commit: ") +
                                                         sqlite3_errmsg(database_.handle()));
  }
  database_.fail(code);
}

}  // namespace fairlane::sqlite
