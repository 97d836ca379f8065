// A lease as one opaque word that can be handed from a claim to a later ack.
#pragma once

#include <string>
#include <string_view>

#include "fairlane/transport.h"

namespace fairlane::command {

/// What names the claim: identity of the store, fence, seq, attempt and group, with a version
/// before and a checksum behind, in the URL's base64. A token always begins with a letter.
std::string to_token(const Lease<Bytes>& lease);

/// A lease that settles what the claim gave. It has no event and no expiry.
/// Errors: `std::invalid_argument` for what is no token, or one of a newer version. The checksum
/// finds slips of the hand, not forgeries: who may settle is who may reach the queue.
Lease<Bytes> from_token(std::string_view token);

}  // namespace fairlane::command
