#include "postgres/errors.h"

#include "fairlane/error.h"

namespace fairlane::postgres {

namespace {

struct Meaning {
  std::string_view state;  ///< of an answer, or how it begins
  ErrorCode code;
  std::string_view text;
};

// The first that fits.
constexpr Meaning meanings[] = {
    {"57014", ErrorCode::unavailable,
     "the server gave the call up: it took longer than the statement timeout, or was "
     "cancelled"},
    {"55P03", ErrorCode::unavailable, "the server gave the call up: it waited too long for a lock"},
    {"57P", ErrorCode::unavailable, "the server is shutting down, or starting"},
    {"53", ErrorCode::unavailable, "the server is out of resources"},
    {"58", ErrorCode::unavailable, "the server's system failed"},
    {"25006", ErrorCode::unavailable, "the server takes no writes: it is a standby, or read-only"},
    {"42501", ErrorCode::unavailable,
     "the role may not do that: see the GRANT lines of the page on PostgreSQL"},
    {"FL001", ErrorCode::incompatible,
     "the connection's transactions are not READ COMMITTED, which Fairlane needs"},
    {"FL002", ErrorCode::corrupt, "the queue's record is gone"},
    {"3F000", ErrorCode::incompatible, "the database has no tables of Fairlane's"},
    {"42", ErrorCode::incompatible, "the database's tables are not those that this program knows"},
    {"54", ErrorCode::too_large, "the server cannot take that many bytes"},
    {"XX", ErrorCode::corrupt, "the server found its data damaged"},
    {"23", ErrorCode::corrupt, "the database's tables contradict each other"},
};

}  // namespace

bool is_forgotten_statement(std::string_view state) noexcept { return state == "26000"; }
bool is_known_statement(std::string_view state) noexcept { return state == "42P05"; }

void throw_refused(std::string_view state, std::string_view message) {
  if (state == "40P01" || state == "40001") {
    throw Undone("the server undid the call time and again, since others were in its way");
  }
  for (const auto& meaning : meanings) {
    if (!state.starts_with(meaning.state)) continue;
    std::string text(meaning.text);
    // Which resource, or which system's fault, only the server knows.
    if (meaning.state.size() == 2 && meaning.code == ErrorCode::unavailable) {
      text.append(": ").append(message);
    }
    throw TransportError(meaning.code, text);
  }
  throw TransportError(ErrorCode::unavailable,
                       "the server refused the call: " + std::string(message));
}

}  // namespace fairlane::postgres
