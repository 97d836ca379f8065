#include "postgres/result.h"

#include "fairlane/detail/arguments.h"
#include "fairlane/error.h"

namespace fairlane::postgres {

namespace {

// The server's numbers for its types.
constexpr Oid bool_type = 16;
constexpr Oid bytea_type = 17;
constexpr Oid int8_type = 20;
constexpr Oid int4_type = 23;
constexpr Oid bytea_array_type = 1001;
constexpr Oid int4_array_type = 1007;
constexpr Oid int8_array_type = 1016;

// The longest value that the server stores.
constexpr std::uint64_t most_bytes = 0x3fff'ffff;

template <class Integer>
void append(std::string& to, Integer value) {
  const auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
  for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8) {
    to += static_cast<char>((bits >> shift) & 0xffU);
  }
}

template <class Integer>
Integer decode(std::string_view bytes) noexcept {
  std::make_unsigned_t<Integer> bits = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    bits = static_cast<std::make_unsigned_t<Integer>>(bits << 8U) |
           static_cast<unsigned char>(bytes[i]);
  }
  return static_cast<Integer>(bits);
}

/// One dimension, no NULLs.
std::string array_head(Oid type, std::size_t size) {
  std::string head;
  append<std::int32_t>(head, size == 0 ? 0 : 1);
  append<std::int32_t>(head, 0);
  append<std::uint32_t>(head, type);
  if (size == 0) return head;
  append<std::int32_t>(head, static_cast<std::int32_t>(size));
  append<std::int32_t>(head, 1);
  return head;
}

[[noreturn]] void throw_unexpected() {
  throw TransportError(ErrorCode::corrupt,
                       "the server's answer is not of the form that this program knows");
}

/// Takes the elements of an array one by one.
class Elements {
 public:
  explicit Elements(std::string_view array) : rest_(array) {
    const auto dimensions = decode<std::int32_t>(take(4));
    const auto has_nulls = decode<std::int32_t>(take(4));
    take(4);
    if (dimensions == 0) return;
    if (dimensions != 1 || has_nulls != 0) throw_unexpected();
    left_ = decode<std::int32_t>(take(4));
    take(4);
  }

  std::size_t size() const noexcept { return static_cast<std::size_t>(left_); }
  bool next(std::string_view& element) {
    if (left_ == 0) return false;
    --left_;
    const auto size = decode<std::int32_t>(take(4));
    if (size < 0) throw_unexpected();
    element = take(static_cast<std::size_t>(size));
    return true;
  }

 private:
  std::string_view take(std::size_t size) {
    if (rest_.size() < size) throw_unexpected();
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  std::int32_t left_ = 0;
};

template <class Value, class Decode>
std::vector<Value> elements_of(std::string_view array, Decode decode_one) {
  std::vector<Value> values;
  if (array.empty()) return values;
  Elements elements(array);
  values.reserve(elements.size());
  for (std::string_view element; elements.next(element);) values.push_back(decode_one(element));
  return values;
}

}  // namespace

void Parameters::add_place(Oid type, const char* data, std::size_t size) {
  // A message to the server has to fit in 2 GB, with all its parts.
  bytes_ += size;
  if (bytes_ > most_bytes) detail::throw_too_large(bytes_, most_bytes);
  types_.push_back(type);
  values_.push_back(data);
  lengths_.push_back(static_cast<int>(size));
  formats_.push_back(1);
}

void Parameters::add(Oid type, std::string encoded) {
  encoded_.push_back(std::move(encoded));
  add_place(type, encoded_.back().data(), encoded_.back().size());
}

void Parameters::add(bool value) { add(bool_type, std::string(1, value ? '\1' : '\0')); }

void Parameters::add(std::int32_t value) {
  std::string encoded;
  append(encoded, value);
  add(int4_type, std::move(encoded));
}
void Parameters::add(std::int64_t value) {
  std::string encoded;
  append(encoded, value);
  add(int8_type, std::move(encoded));
}
void Parameters::add(std::string_view bytes) {
  // An empty view may point nowhere, which would be NULL.
  add_place(bytea_type, bytes.data() != nullptr ? bytes.data() : "", bytes.size());
}
void Parameters::add(std::optional<std::int32_t> value) {
  value ? add(*value) : add_place(int4_type, nullptr, 0);
}
void Parameters::add(std::optional<std::int64_t> value) {
  value ? add(*value) : add_place(int8_type, nullptr, 0);
}
void Parameters::add(std::optional<std::string_view> bytes) {
  bytes ? add(*bytes) : add_place(bytea_type, nullptr, 0);
}

void Parameters::add(const std::vector<std::string_view>& bytes) {
  std::string encoded = array_head(bytea_type, bytes.size());
  std::size_t size = encoded.size();
  for (const auto& one : bytes) size += 4 + one.size();
  if (size > most_bytes) detail::throw_too_large(size, most_bytes);
  encoded.reserve(size);
  for (const auto& one : bytes) {
    append(encoded, static_cast<std::int32_t>(one.size()));
    encoded += one;
  }
  add(bytea_array_type, std::move(encoded));
}
void Parameters::add(const std::vector<std::int64_t>& values) {
  std::string encoded = array_head(int8_type, values.size());
  for (const auto value : values) {
    append<std::int32_t>(encoded, sizeof(value));
    append(encoded, value);
  }
  add(int8_array_type, std::move(encoded));
}
void Parameters::add(const std::vector<std::int32_t>& values) {
  std::string encoded = array_head(int4_type, values.size());
  for (const auto value : values) {
    append<std::int32_t>(encoded, sizeof(value));
    append(encoded, value);
  }
  add(int4_array_type, std::move(encoded));
}

std::string_view Result::field(int column, std::size_t size) const {
  const auto view = bytes(column);
  if (view.size() != size) throw_unexpected();
  return view;
}

bool Result::boolean(int column) const { return field(column, 1)[0] != '\0'; }
std::int32_t Result::int32(int column) const { return decode<std::int32_t>(field(column, 4)); }
std::int64_t Result::int64(int column) const { return decode<std::int64_t>(field(column, 8)); }
std::optional<std::int32_t> Result::optional_int32(int column) const {
  if (is_null(column)) return std::nullopt;
  return int32(column);
}
std::optional<std::int64_t> Result::optional_int64(int column) const {
  if (is_null(column)) return std::nullopt;
  return int64(column);
}

std::string_view Result::bytes(int column) const {
  if (column >= PQnfields(result_.get()) || PQntuples(result_.get()) != 1) throw_unexpected();
  return {PQgetvalue(result_.get(), 0, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), 0, column))};
}

std::vector<bool> Result::booleans(int column) const {
  return elements_of<bool>(bytes(column), [](std::string_view one) { return one.at(0) != '\0'; });
}
std::vector<std::int32_t> Result::int32s(int column) const {
  return elements_of<std::int32_t>(bytes(column), [](std::string_view one) {
    if (one.size() != 4) throw_unexpected();
    return decode<std::int32_t>(one);
  });
}
std::vector<std::int64_t> Result::int64s(int column) const {
  return elements_of<std::int64_t>(bytes(column), [](std::string_view one) {
    if (one.size() != 8) throw_unexpected();
    return decode<std::int64_t>(one);
  });
}
std::vector<std::string_view> Result::many_bytes(int column) const {
  return elements_of<std::string_view>(bytes(column), [](std::string_view one) { return one; });
}

}  // namespace fairlane::postgres
