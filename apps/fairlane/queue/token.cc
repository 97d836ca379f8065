#include "queue/token.h"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

#include "fairlane/options.h"
#include "text/base64.h"

namespace fairlane::command {

namespace {

constexpr unsigned char version = 1;
constexpr std::size_t fixed_bytes = 1 + 3 * 8 + 4 + 4;
constexpr std::size_t most_letters = (fixed_bytes + max_group_id_bytes + 2) / 3 * 4;

/// Most significant byte first.
template <class Number>
void append_number(std::string& out, Number number) {
  for (std::size_t i = sizeof number; i-- > 0;) {
    out += static_cast<char>(number >> (8 * i) & 0xff);
  }
}

template <class Number>
Number take_number(std::string_view& bytes) {
  Number number = 0;
  for (const char c : bytes.substr(0, sizeof number)) {
    number = static_cast<Number>(number << 8U | static_cast<unsigned char>(c));
  }
  bytes.remove_prefix(sizeof number);
  return number;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void refuse(std::string_view token, std::string_view why) {
  constexpr std::size_t shown = 40;
  throw std::invalid_argument(fmt::format("no token, {}: \"{}{}\"", why, token.substr(0, shown),
                                          token.size() > shown ? "..." : ""));
}

}  // namespace

std::string to_token(const Lease<Bytes>& lease) {
  const LeaseKey& key = lease.key();
  std::string bytes(1, static_cast<char>(version));
  append_number(bytes, key.store);
  append_number(bytes, key.fence);
  append_number(bytes, key.seq);
  append_number(bytes, key.attempt);
  bytes += lease.group_id();
  append_number(bytes, checksum(bytes));
  return text::to_base64(bytes, text::Base64::url);
}

Lease<Bytes> from_token(std::string_view token) {
  if (token.size() > most_letters) refuse(token, "it is too long");
  const auto decoded = text::from_base64(token, text::Base64::url);
  if (!decoded || decoded->size() < fixed_bytes) refuse(token, "or a part of one");
  std::string_view sum = std::string_view(*decoded).substr(decoded->size() - sizeof(std::uint32_t));
  std::string_view bytes = std::string_view(*decoded).substr(0, decoded->size() - sum.size());
  if (take_number<std::uint32_t>(sum) != checksum(bytes)) refuse(token, "it is mistyped");
  if (take_number<unsigned char>(bytes) != version) refuse(token, "or one of a newer Fairlane");
  LeaseKey key;
  key.store = take_number<std::uint64_t>(bytes);
  key.fence = take_number<std::uint64_t>(bytes);
  key.seq = take_number<std::uint64_t>(bytes);
  key.attempt = take_number<std::uint32_t>(bytes);
  if (bytes.size() > max_group_id_bytes) refuse(token, "its group is too long");
  return {key, Instant(), detail::Shared<detail::GroupId>::adopt(detail::GroupId::create(bytes)),
          EventRef<Bytes>()};
}

}  // namespace fairlane::command
