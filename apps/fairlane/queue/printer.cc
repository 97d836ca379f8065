#include "queue/printer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "run/duration_text.h"
#include "text/json_text.h"
#include "text/terminal_text.h"

namespace fairlane::command {

namespace {

constexpr std::size_t long_columns = 60;
constexpr std::size_t all_columns = static_cast<std::size_t>(-1);

/// From here on a clock counts from 1970 on, and not from when a machine was started.
constexpr std::chrono::hours days_of_machines = std::chrono::hours(24 * 365 * 20);

std::string instant_text(Instant instant) {
  using std::chrono::milliseconds;
  const auto since = instant.time_since_epoch();
  if (instant == Instant::max()) return "never";
  if (since.count() == 0) return "-";
  const auto ms = std::chrono::floor<milliseconds>(since);
  if (since < days_of_machines)
    return fmt::format("{:.3f}s", static_cast<double>(ms.count()) / 1e3);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ms);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds.count()),
                     (ms - seconds).count());
}

std::string upper(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
  return text;
}

void append_padded(std::string& out, std::string_view text, std::size_t columns) {
  out += text;
  out.append(columns - text::columns_of(text), ' ');
}

}  // namespace

void Record::begin_member() { json_ += json_.empty() ? '{' : ','; }

Record& Record::add_bytes(std::string_view name, std::string_view value, std::size_t columns) {
  if (format_ == Format::table) {
    cells_.emplace_back(name, text::terminal_text(value, columns));
    return *this;
  }
  begin_member();
  text::append_json_bytes(json_, name, value);
  return *this;
}

Record& Record::bytes(std::string_view name, std::string_view value) {
  return add_bytes(name, value, all_columns);
}
Record& Record::long_bytes(std::string_view name, std::string_view value) {
  return add_bytes(name, value, long_columns);
}

Record& Record::add(std::string_view name, std::string_view json_suffix, std::string_view json,
                    std::string text) {
  if (format_ == Format::table) {
    cells_.emplace_back(name, std::move(text));
    return *this;
  }
  begin_member();
  json_.append("\"").append(name).append(json_suffix).append("\":").append(json);
  return *this;
}

Record& Record::number(std::string_view name, std::uint64_t value) {
  const auto text = std::to_string(value);
  return add(name, {}, text, text);
}
Record& Record::number(std::string_view name, std::int32_t value) {
  const auto text = std::to_string(value);
  return add(name, {}, text, text);
}
Record& Record::boolean(std::string_view name, bool value) {
  return add(name, {}, value ? "true" : "false", value ? "yes" : "no");
}
Record& Record::duration(std::string_view name, Duration value) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(value.value());
  return add(name, "_ms", std::to_string(ms.count()), run::duration_text(ms));
}
Record& Record::instant(std::string_view name, Instant value) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(value.time_since_epoch());
  return add(name, "_ms", std::to_string(ms.count()), instant_text(value));
}

void Printer::print(const Record& record) {
  if (format_ == Format::table) {
    rows_.push_back(record.cells());
    return;
  }
  output_.append(record.json());
  output_.append("}\n");
}

void Printer::append_rows() {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> lines;
  if (shape_ == Shape::card) {
    for (const auto& [name, text] : rows_.front()) lines.push_back({upper(name), text});
  } else {
    for (const auto& [name, text] : rows_.front()) {
      if (lines.empty()) lines.emplace_back();
      lines.front().push_back(upper(name));
    }
    for (auto& row : rows_) {
      lines.emplace_back();
      for (auto& cell : row) lines.back().push_back(std::move(cell.second));
    }
  }
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], text::columns_of(line[i]));
    }
  }
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) append_padded(out, line[i], widths[i] + 2);
    output_.append(out.append(line.back()).append("\n"));
  }
  rows_.clear();
}

void Printer::flush() {
  if (!rows_.empty()) append_rows();
  output_.flush();
}

}  // namespace fairlane::command
