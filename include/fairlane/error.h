// What a call may raise when the world outside, not the caller, is the reason.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlane {

/// Why a transport could not do as asked.
enum class ErrorCode {
  unavailable,      ///< the store cannot be reached; nothing was stored
  outcome_unknown,  ///< the connection broke while a commit was under way: it may have happened
  full,             ///< a limit on the number of messages is reached; nothing was stored
  too_large,        ///< the event has more bytes than `max_event_bytes`; nothing was stored
  not_found,        ///< no dead letter has that `seq`
  closed,           ///< the transport was closed
  corrupt,          ///< the store holds something that cannot be read
  incompatible,     ///< the store was made with other options, or by a newer Fairlane
};

/// The enumerator as it reads: "full".
std::string_view to_string(ErrorCode code) noexcept;

/// Raised for what the environment does. Wrong arguments are `std::invalid_argument` instead, and
/// expected outcomes (nothing claimable, a stale lease) are values.
class TransportError : public std::runtime_error {
 public:
  TransportError(ErrorCode code, const std::string& what)
      : TransportError(code, what, code == ErrorCode::outcome_unknown) {}
  TransportError(ErrorCode code, const std::string& what, bool may_be_stored)
      : std::runtime_error(what), code_(code), may_be_stored_(may_be_stored) {}

  ErrorCode code() const noexcept { return code_; }

  /// Whether the operation may have taken effect all the same. If not, the caller still owns the
  /// event and may publish it again without fear of a double.
  bool may_be_stored() const noexcept { return may_be_stored_; }

 private:
  ErrorCode code_;
  bool may_be_stored_;
};

}  // namespace fairlane
