#include "redis/answers.h"

#include <charconv>

#include "fairlane/error.h"
#include "redis/words.h"

namespace fairlane::redis {

namespace {

[[noreturn]] void throw_corrupt(const char* what) {
  throw TransportError(ErrorCode::corrupt, what, true);
}

std::string_view take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) throw_corrupt("Redis answered less than it said");
  const auto taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

/// What was settled, and behind it a priority as text, or nothing.
void read_said(ClaimAnswer& answer, std::string_view said, std::size_t acked) {
  answer.settled = take(said, acked);
  if (said.empty()) return;
  std::int32_t priority = 0;
  const auto [stopped, fault] = std::from_chars(said.begin(), said.end(), priority);
  if (fault != std::errc() || stopped != said.end()) throw_corrupt("a priority is no number");
  answer.claimable = priority;
}

ClaimAnswer::Lease lease_of(std::string_view message, std::string_view group_id,
                            std::uint64_t attempt) {
  if (message.size() < message_head) throw_corrupt("a group's head is not in its list");
  return {from_bytes(message), message.substr(message_head), group_id,
          static_cast<std::uint32_t>(attempt)};
}

}  // namespace

ClaimAnswer ClaimAnswer::of_claim(const Value& answer, std::size_t acked) {
  ClaimAnswer read;
  if (!answer.is_list()) {
    std::string_view bytes = answer.bytes();
    const auto said_size = from_bytes(take(bytes, 4));
    read.now = static_cast<std::int64_t>(from_bytes(take(bytes, 8)));
    const auto attempt = from_bytes(take(bytes, 4));
    const auto group_size = from_bytes(take(bytes, 4));
    read_said(read, take(bytes, said_size), acked);
    const auto group_id = take(bytes, group_size);
    read.leases.push_back(lease_of(bytes, group_id, attempt));
    return read;
  }
  read.settled = answer[3].bytes();
  read.now = answer[4].integer();
  if (!answer[5].is_nothing()) read.more = static_cast<std::int32_t>(answer[5].integer());
  read.leases.reserve((answer.size() - 6) / 3);
  for (std::size_t i = 6; i + 2 < answer.size(); i += 3) {
    read.leases.push_back(
        lease_of(answer[i].bytes(), answer[i + 1].bytes(), answer[i + 2].count()));
  }
  return read;
}

ClaimAnswer ClaimAnswer::of_ack(const Value& answer, std::size_t acked) {
  ClaimAnswer read;
  if (answer.is_list()) {
    read.settled = answer[3].bytes();
  } else {
    read_said(read, answer.bytes(), acked);
  }
  return read;
}

}  // namespace fairlane::redis
