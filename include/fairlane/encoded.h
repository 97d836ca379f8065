// A transport of your own events over a transport of bytes.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/transport.h"

namespace fairlane {

/// How events become bytes and back. Both may throw: from `encode` it goes to the publisher, who
/// still owns the event; from `decode` the message is undecodable.
template <class C, class Event>
concept Codec = requires(const C& codec, const Event& event, std::string_view bytes) {
  { codec.encode(event) } -> std::convertible_to<Bytes>;
  { codec.decode(bytes) } -> std::convertible_to<Event>;
};

}  // namespace fairlane
