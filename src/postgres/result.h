// Values on their way to the server and back, in libpq's binary format.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::postgres {

/// The parameters of one statement, in order. Bytes are not copied: they have to last.
/// Errors: `too_large` for what no message to the server can hold.
class Parameters {
 public:
  template <class... Values>
  explicit Parameters(const Values&... values) {
    (add(values), ...);
  }

  int count() const noexcept { return static_cast<int>(values_.size()); }
  const Oid* types() const noexcept { return types_.data(); }
  const char* const* values() const noexcept { return values_.data(); }
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return formats_.data(); }

 private:
  void add(bool value);
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(std::uint64_t value) { add(static_cast<std::int64_t>(value)); }
  void add(std::string_view bytes);
  void add(std::optional<std::int32_t> value);
  void add(std::optional<std::int64_t> value);
  void add(std::optional<std::string_view> bytes);
  void add(const std::vector<std::string_view>& bytes);
  void add(const std::vector<std::int64_t>& values);
  void add(const std::vector<std::int32_t>& values);

  void add(Oid type, std::string encoded);
  void add_place(Oid type, const char* data, std::size_t size);

  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::deque<std::string> encoded_;
  std::size_t bytes_ = 0;
};

/// The one row of an answer.
/// Errors: `corrupt` if a column is not what this program asked for.
class Result {
 public:
  explicit Result(PGresult* result) noexcept : result_(result) {}

  PGresult* get() const noexcept { return result_.get(); }
  bool is_null(int column) const noexcept { return PQgetisnull(result_.get(), 0, column) != 0; }
  bool boolean(int column) const;
  std::int32_t int32(int column) const;
  std::int64_t int64(int column) const;
  std::uint64_t uint64(int column) const { return static_cast<std::uint64_t>(int64(column)); }
  std::optional<std::int32_t> optional_int32(int column) const;
  std::optional<std::int64_t> optional_int64(int column) const;
  /// Valid as long as the result.
  std::string_view bytes(int column) const;
  // Empty for NULL.
  std::vector<bool> booleans(int column) const;
  std::vector<std::int32_t> int32s(int column) const;
  std::vector<std::int64_t> int64s(int column) const;
  std::vector<std::string_view> many_bytes(int column) const;

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  std::string_view field(int column, std::size_t size) const;

  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace fairlane::postgres
