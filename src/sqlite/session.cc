#include "sqlite/session.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "sqlite/host_clock.h"

namespace fairlane::sqlite {

namespace {

void add(Stats& to, const Stats& more) noexcept {
  for (const auto total : {&Stats::published, &Stats::claims, &Stats::redelivered, &Stats::acked,
                           &Stats::nacks, &Stats::released, &Stats::stale, &Stats::dropped,
                           &Stats::dead_lettered, &Stats::redriven}) {
    to.*total += more.*total;
  }
}

int milliseconds(Duration duration) noexcept {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(duration.value()).count();
  return static_cast<int>(std::clamp<std::int64_t>(whole, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Session::Open::Open(const SqliteOptions& options)
    : database(options.path, milliseconds(options.busy_timeout)) {
  database.execute("PRAGMA journal_mode = WAL");
  database.execute(options.synchronous == SqliteSynchronous::full ? "PRAGMA synchronous = FULL"
                                                                  : "PRAGMA synchronous = NORMAL");
  // A checkpoint waits for the disk; after 32 MB of log instead of 4 it does so eight times less.
  database.execute("PRAGMA wal_autocheckpoint = 8000");
  database.execute("PRAGMA cache_size = -32000");  // At most 32 MB, and only as it is needed.
  prepare_schema(database);
  record = open_queue(database, options.queue_name, options.queue, options.change_options);
  ledger.emplace(database, record.id, record.store);
}

Session::Session(const SqliteOptions& options)
    : clock_(options.clock != nullptr ? options.clock : host_clock()),
      poll_interval_(options.poll_interval),
      open_(std::make_unique<Open>(options)),
      store_(open_->record.store) {}

void Session::close() {
  const std::lock_guard lock(mutex_);
  open_ = nullptr;
  line_.call_all();
}

void Session::add_totals(Stats& stats) const {
  add(stats, totals_);
  add(stats, open_->ledger->totals());
}

void Session::finish(Transaction& transaction, Ledger& ledger) {
  ledger.save();
  transaction.commit();
  add(totals_, ledger.totals());
  const Effect effect = ledger.effect();
  if (line_.empty()) return;
  if (effect.claimable) call_claimer(ledger);
  if (effect.room) line_.call_publishers();
  if (effect.alarm < alarm_) line_.wake_watcher();
}

void Session::call_claimer(Ledger& ledger) {
  if (const auto highest = ledger.highest_claimable()) line_.call_claimer(*highest);
}

std::optional<Instant> Session::plan_sleep(Waiter& waiter, Instant now, Instant deadline) {
  if (open_ == nullptr) return std::nullopt;
  const bool watches = line_.is_watcher(waiter);
  if (watches) look_at_others();
  if (std::exchange(waiter.called, false)) return std::nullopt;
  if (!watches) return deadline;
  const auto expiry = open_->ledger->next_expiry();
  alarm_ = expiry ? saturating_add(*expiry, std::chrono::nanoseconds(1)) : Instant::max();
  if (now >= alarm_) return std::nullopt;
  return std::min({alarm_, saturating_add(now, poll_interval_), deadline});
}

void Session::look_at_others() {
  Ledger& ledger = *open_->ledger;
  const auto version = ledger.data_version();
  if (std::exchange(seen_version_, version) == version) return;
  call_claimer(ledger);
  line_.call_publishers();
}

Session::InLine::InLine(Session& session, Waiter& waiter) : session_(session) {
  const std::lock_guard lock(session.mutex_);
  place_ = session.line_.join(waiter);
}

Session::InLine::~InLine() {
  const std::lock_guard lock(session_.mutex_);
  session_.line_.leave(place_);
  // There may be more where this one's came from, or it was called and did not try.
  if (session_.open_ == nullptr || session_.line_.empty()) return;
  try {
    session_.call_claimer(*session_.open_->ledger);
  } catch (const std::exception&) {
    session_.line_.call_all();
  }
}

}  // namespace fairlane::sqlite
