// Wrong arguments, said the same way by every transport.
#include <stdexcept>
#include <string>

#include "fairlane/detail/memory_store.h"
#include "fairlane/error.h"

namespace fairlane::detail {

void check_group_id(std::string_view group_id) {
  if (group_id.size() <= max_group_id_bytes) return;
  throw std::invalid_argument("group_id has " + std::to_string(group_id.size()) +
                              " bytes; at most " + std::to_string(max_group_id_bytes));
}

void check_duration(Duration duration, const char* name) {
  if (!duration.is_negative()) return;
  throw std::invalid_argument(std::string(name) +
                              " is negative: " + std::to_string(duration.value().count()) + " ns");
}

void throw_too_large(std::uint64_t bytes, std::uint64_t limit) {
  throw TransportError(ErrorCode::too_large, "the event has " + std::to_string(bytes) +
                                                 " bytes; at most " + std::to_string(limit));
}

}  // namespace fairlane::detail
