// What the server says when it refuses, in this project's words.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlane::postgres {

/// The call was undone because others were in its way, and may be made again as it was.
class Undone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Somebody between here and the server gives this connection now one session of the server's, now
// another: a statement that was prepared is not known there, or one that is new here is known.
bool is_forgotten_statement(std::string_view state) noexcept;
bool is_known_statement(std::string_view state) noexcept;

/// Raises what the server's answer means: `Undone`, or a `TransportError` that says that nothing
/// was stored. `message` is the server's own text.
[[noreturn]] void throw_refused(std::string_view state, std::string_view message);

}  // namespace fairlane::postgres
