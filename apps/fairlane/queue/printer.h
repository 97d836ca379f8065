// What the subcommands tell: JSON lines for programs, tables for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/clock.h"
#include "queue/standard_output.h"

namespace fairlane::command {

enum class Format { json, table };

/// One thing with its named values, in order. Names are of letters and "_".
class Record {
 public:
  explicit Record(Format format) : format_(format) {}

  /// Bytes of strangers: text, or base64 under another name where they are no text.
  Record& bytes(std::string_view name, std::string_view value);
  /// The same, but a table shows the beginning only.
  Record& long_bytes(std::string_view name, std::string_view value);
  Record& number(std::string_view name, std::uint64_t value);
  Record& number(std::string_view name, std::int32_t value);
  Record& boolean(std::string_view name, bool value);
  /// JSON: `NAME_ms`, whole milliseconds.
  Record& duration(std::string_view name, Duration value);
  /// JSON: `NAME_ms`, whole milliseconds of the transport's clock. A table shows the time of day
  /// where that clock tells it.
  Record& instant(std::string_view name, Instant value);

  bool empty() const noexcept { return json_.empty() && cells_.empty(); }
  const std::string& json() const noexcept { return json_; }
  using Cell = std::pair<std::string, std::string>;
  const std::vector<Cell>& cells() const noexcept { return cells_; }

 private:
  Record& add_bytes(std::string_view name, std::string_view value, std::size_t columns);
  Record& add(std::string_view name, std::string_view json_suffix, std::string_view json,
              std::string text);
  void begin_member();

  Format format_;
  std::string json_ = {};
  std::vector<Cell> cells_ = {};
};

/// Writes records to standard output.
/// Threads: one at a time. Errors: `OutputError`.
class Printer {
 public:
  enum class Shape {
    rows,  ///< a table has a line for each record, under a head
    card,  ///< a line for each value
  };
  explicit Printer(Format format, Shape shape = Shape::rows) : format_(format), shape_(shape) {}

  Record record() const { return Record(format_); }
  void print(const Record& record);
  /// Writes what was printed: to be called at the end, and before whatever must not be done if
  /// nobody learns of what was printed. What a table prints later stands under a head of its own.
  void flush();

 private:
  void append_rows();

  Format format_;
  Shape shape_;
  std::vector<std::vector<Record::Cell>> rows_ = {};  // Of a table: its widths come last.
  StandardOutput output_ = {};
};

}  // namespace fairlane::command
