// One allocation holds the count and the bytes.
#include <cstring>
#include <new>

#include "fairlane/detail/shared_node.h"

namespace fairlane::detail {

GroupId* GroupId::create(std::string_view bytes) {
  void* memory = ::operator new(sizeof(GroupId) + bytes.size());
  auto* id = ::new (memory) GroupId;
  id->size = static_cast<std::uint16_t>(bytes.size());
  if (!bytes.empty()) std::memcpy(static_cast<void*>(id + 1), bytes.data(), bytes.size());
  return id;
}

void GroupId::destroy(GroupId* id) noexcept {
  ::operator delete(reinterpret_cast<char*>(id) - id->prefix);
}

}  // namespace fairlane::detail
