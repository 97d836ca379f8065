// What the busiest scripts answer: each has a short form for the usual case, one text, and a list
// for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "redis/reply.h"

namespace fairlane::redis {

/// Of ack.lua, claim.lua and ack_claim.lua. Views into the reply.
/// Errors: `corrupt` for what no script of this version answers.
struct ClaimAnswer {
  struct Lease {
    std::uint64_t seq;
    std::string_view event;
    std::string_view group_id;
    std::uint32_t attempt;
  };

  std::string_view settled;  ///< a '1' (done) or '0' (stale) for each lease acked
  std::optional<std::int32_t> claimable = std::nullopt;  ///< in the short form only
  std::int64_t now = 0;
  std::optional<std::int32_t> more = std::nullopt;
  std::vector<Lease> leases = {};

  /// `acked`: how many leases the script had to ack.
  static ClaimAnswer of_claim(const Value& answer, std::size_t acked);
  static ClaimAnswer of_ack(const Value& answer, std::size_t acked);
};

/// The first seq that publish.lua gave.
inline std::uint64_t first_seq(const Value& answer) {
  return answer.is_list() ? answer[3].count() : answer.count();
}

}  // namespace fairlane::redis
