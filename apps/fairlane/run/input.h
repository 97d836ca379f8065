// Lines of files or of standard input, plain or gzip.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::run {

/// The input cannot be read on: a file is missing, broken off or damaged.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Yields the bytes of one file descriptor, gzip (one member or several) told by its first bytes.
///
/// Threads: one at a time.
/// Errors: `InputError` with the name.
class ByteSource {
 public:
  /// Owns `fd`. `stop_fd` is readable once reading shall end; -1: never.
  ByteSource(int fd, std::string name, int stop_fd);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  enum class Read { bytes, end, stopped, would_block };

  /// Appends some bytes to `out`. Without `wait` it answers `would_block` where it had to.
  Read read(std::string& out, bool wait);

 private:
  Read fill(bool wait);
  void inflate_into(std::string& out);
  void start_member();

  int fd_;
  std::string name_;
  int stop_fd_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what buffer_ still holds
  std::size_t end_ = 0;
  bool ended_ = false;
  bool decided_ = false;  // whether it is gzip is known
  bool gzip_ = false;
  bool in_member_ = false;
  bool more_output_ = false;  // the inflater holds what did not fit
  z_stream inflater_{};
};

/// One line of the input.
struct Line {
  std::string text;  ///< without its '\n'; a '\r' before it is kept
  std::uint64_t number = 0;
};

/// All inputs one after the other, line by line.
///
/// A line may have any length and any bytes; the last one of a file needs no line end. "-" and no
/// file at all are standard input.
/// Threads: one at a time. Errors: `InputError`.
class Input {
 public:
  Input(std::vector<std::string> files, int stop_fd);

  enum class Next { line, end, stopped, would_block };

  /// The next line, into `line`. Without `wait`, `would_block` where it had to wait for one.
  Next next(Line& line, bool wait);

  /// Where reading stands: "FILE:LINE" of the line read last.
  std::string position() const;
  const std::string& file() const noexcept { return name_; }

 private:
  bool open_next();
  bool cut_line(Line& line);

  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  int stop_fd_;
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string pending_;
  std::size_t begin_ = 0;    // of what pending_ still holds
  std::size_t scanned_ = 0;  // up to here pending_ has no line end
  std::uint64_t number_ = 0;
};

}  // namespace fairlane::run
