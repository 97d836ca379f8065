#include "postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fairlane/error.h"
#include "postgres/errors.h"

namespace fairlane::postgres {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// How much longer than the server's own limit an answer is waited for.
constexpr std::chrono::seconds patience{10};

struct FreeText {
  void operator()(char* text) const noexcept { PQfreemem(text); }
};

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string_view field_of(const PGresult* result, int field) noexcept {
  const char* const text = PQresultErrorField(result, field);
  return text != nullptr ? text : "";
}

/// The server's word that it ends the connection, whether it comes as an answer or by itself.
bool is_fatal(const PGresult* result) noexcept {
  const auto severity = field_of(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity == "FATAL" || severity == "PANIC";
}

}  // namespace

Target parse_target(const std::string& conninfo) {
  constexpr auto unreadable =
      "the conninfo is neither a URL of PostgreSQL's nor a list of libpq's words";
  if (conninfo.find('\0') != std::string::npos) throw std::invalid_argument(unreadable);
  struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
  };
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(conninfo.c_str(), &message));
  // libpq's message may repeat what it could not read, which may be a password.
  const std::unique_ptr<char, FreeText> freed(message);
  if (options == nullptr) throw std::invalid_argument(unreadable);
  Target target;
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) target.words[option->keyword] = option->val;
  }
  const auto port = target.words.find("port");
  if (port != target.words.end() &&
      port->second.find_first_not_of("0123456789,") != std::string::npos) {
    throw std::invalid_argument("the conninfo's port is not a number");
  }
  return target;
}

Connection::Connection(const Target& target) : target_(target), prepares_(!target.pooled) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : target.words) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  // What the server remarks while it lets somebody in would go to standard error, unless it has a
  // receiver by then: so one is set before the connection is made in earnest, within its timeouts.
  handle_ = PQconnectStartParams(names.data(), values.data(), 0);
  PQsetNoticeReceiver(
      handle_,
      [](void* self, const PGresult* notice) {
        if (is_fatal(notice)) static_cast<Connection*>(self)->ended_ = true;
      },
      this);
  if (PQstatus(handle_) != CONNECTION_BAD) PQreset(handle_);
  if (PQstatus(handle_) != CONNECTION_OK) {
    const std::string why = fault();
    PQfinish(handle_);
    throw TransportError(ErrorCode::unavailable, "cannot connect: " + why);
  }
  PQsetErrorVerbosity(handle_, PQERRORS_TERSE);  // No statement in a text.
  if (target.pooled) return;
  try {
    const auto timeout =
        std::chrono::ceil<std::chrono::milliseconds>(target.statement_timeout.value());
    run("SET default_transaction_isolation = 'read committed'; "
        "SET default_transaction_read_only = off; SET client_min_messages = warning; "
        // As fairlane.plan_by_index in sql/common.sql, which so need not do it in each call.
        "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
        "SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan; "
        "SET statement_timeout = " +
        std::to_string(std::min<std::int64_t>(timeout.count(), 0x7fff'ffff)));
  } catch (...) {
    PQfinish(handle_);
    throw;
  }
}

std::string Connection::fault() const { return without_line_end(PQerrorMessage(handle_)); }

bool Connection::is_alive() noexcept {
  for (int look = 0; look < 8 && !ended_ && is_usable(); ++look) {
    pollfd waiting{PQsocket(handle_), POLLIN, 0};
    if (::poll(&waiting, 1, 0) <= 0) return true;
    if (PQconsumeInput(handle_) == 0) return false;
    PQfreemem(PQnotifies(handle_));  // Reads what has come.
  }
  return !ended_ && is_usable();
}

void Connection::fail_lost(bool only_looks, const std::string& why) {
  broken_ = true;
  throw TransportError(only_looks ? ErrorCode::unavailable : ErrorCode::outcome_unknown,
                       "the connection broke in the midst of a call: " + why);
}

void Connection::await_answer(bool only_looks) {
  const bool limited = !target_.pooled && target_.statement_timeout > Duration();
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(
      std::min(target_.statement_timeout, Duration(std::chrono::hours(24))).value());
  const auto deadline = SteadyClock::now() + limit + patience;
  while (PQisBusy(handle_) != 0) {
    pollfd waiting{PQsocket(handle_), POLLIN, 0};
    int left = -1;
    if (limited) {
      const auto rest =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
      left = static_cast<int>(std::max<std::int64_t>(rest, 0));
    }
    const int ready = ::poll(&waiting, 1, left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail_lost(only_looks, "no answer came for longer than the statement timeout");
    if (ready < 0) fail_lost(only_looks, fault());
    // The server's last word may have come before the connection broke: PQgetResult tells.
    if (PQconsumeInput(handle_) == 0) return;
  }
}

std::unique_ptr<Result> Connection::receive(bool only_looks) {
  std::unique_ptr<Result> answer;
  std::unique_ptr<Result> refusal;
  for (;;) {
    await_answer(only_looks);
    auto part = std::make_unique<Result>(PQgetResult(handle_));
    if (part->get() == nullptr) break;
    const auto status = PQresultStatus(part->get());
    const bool good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (good) {
      answer = std::move(part);
    } else if (refusal == nullptr) {  // The first says why; what follows, that it is over.
      refusal = std::move(part);
    }
  }
  if (refusal == nullptr && answer != nullptr) return answer;
  const PGresult* const why = refusal != nullptr ? refusal->get() : nullptr;
  const std::string state(field_of(why, PG_DIAG_SQLSTATE));
  const bool ends = why != nullptr && is_fatal(why);
  broken_ = broken_ || ends || PQstatus(handle_) != CONNECTION_OK;
  // Without a word of the server's, or one that came after the work was done, nobody can know.
  if (state.empty() || (ends && answer != nullptr)) fail_lost(only_looks, fault());
  if (is_forgotten_statement(state) || is_known_statement(state)) return nullptr;
  throw_refused(state, field_of(why, PG_DIAG_MESSAGE_PRIMARY));
}

void Connection::send(bool was_sent) {
  if (was_sent) return;
  broken_ = true;
  throw NotSent();
}

void Connection::prepare(const Statement& statement, const Parameters& parameters) {
  if (prepared_.contains(statement.name)) return;
  send(PQsendPrepare(handle_, statement.name, statement.sql, parameters.count(),
                     parameters.types()) != 0);
  constexpr bool only_looks = true;
  try {
    receive(only_looks);
  } catch (const TransportError&) {
    if (!is_usable()) throw NotSent();
    throw;
  }
  prepared_.insert(statement.name);
}

Result Connection::execute(const Statement& statement, const Parameters& parameters) {
  if (prepares_) {
    prepare(statement, parameters);
    send(PQsendQueryPrepared(handle_, statement.name, parameters.count(), parameters.values(),
                             parameters.lengths(), parameters.formats(), 1) != 0);
    if (const auto answer = receive(statement.only_looks)) return std::move(*answer);
    // Somebody between here and the server gives each transaction another session.
    prepares_ = false;
  }
  send(PQsendQueryParams(handle_, statement.sql, parameters.count(), parameters.types(),
                         parameters.values(), parameters.lengths(), parameters.formats(), 1) != 0);
  const auto answer = receive(statement.only_looks);
  if (answer == nullptr) fail_lost(statement.only_looks, "an answer to another call came");
  return std::move(*answer);
}

void Connection::run(const std::string& sql) {
  try {
    send(PQsendQuery(handle_, sql.c_str()) != 0);
  } catch (const NotSent&) {
    throw TransportError(ErrorCode::unavailable, "the connection broke: " + fault());
  }
  constexpr bool only_looks = true;
  receive(only_looks);
}

bool Connection::take_notifications(const std::function<void(std::string_view text)>& take) {
  if (PQconsumeInput(handle_) == 0 || !is_usable()) return false;
  for (;;) {
    const std::unique_ptr<PGnotify, decltype(&PQfreemem)> one(PQnotifies(handle_), PQfreemem);
    if (one == nullptr) break;
    if (one->be_pid != pid()) take(one->extra);
  }
  return !ended_ && is_usable();
}

}  // namespace fairlane::postgres
