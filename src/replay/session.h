// One trace's transport, clock and named leases, and the operations on them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fairlane/testing/manual_clock.h"
#include "fairlane/transport.h"
#include "replay/json_line.h"

namespace fairlane::replay {

/// Runs the operations of one trace, in order, on a transport of its own under a manual clock.
/// Threads: one.
class Session {
 public:
  /// Errors: as `fairlane::open`; BrokenTrace if the store is not empty.
  explicit Session(std::string url);

  /// Runs one operation and returns its result, or `{"error":CODE}`; what it shall be is compared
  /// by the caller. Errors: BrokenTrace, and then nothing was done.
  Json run(const Json& operation);

 private:
  using Operation = Json (Session::*)(Keys&);
  static Operation find_operation(std::string_view name);

  Json config(Keys& keys);
  Json advance(Keys& keys);
  Json publish(Keys& keys);
  Json publish_batch(Keys& keys);
  Json claim(Keys& keys);
  Json claim_batch(Keys& keys);
  Json ack(Keys& keys);
  Json ack_claim(Keys& keys);
  Json nack(Keys& keys);
  Json extend(Keys& keys);
  Json release(Keys& keys);
  Json reject(Keys& keys);
  Json suspend(Keys& keys);
  Json resume(Keys& keys);
  Json terminate(Keys& keys);
  Json cancel(Keys& keys);
  Json inspect(Keys& keys);
  Json peek(Keys& keys);
  Json groups(Keys& keys);
  Json stats(Keys& keys);
  Json dead_letters(Keys& keys);
  Json redrive(Keys& keys);
  Json drop_dead(Keys& keys);
  Json close(Keys& keys);
  Json reopen(Keys& keys);

  void open(const QueueOptions& queue);
  const Lease<Bytes>& lease(Keys& keys);
  void name(const std::string& as, const std::optional<Lease<Bytes>>& lease);
  void name_batch(const std::string& as, const std::vector<Lease<Bytes>>& leases);

  const std::string url_;
  const std::shared_ptr<testing::ManualClock> clock_;
  std::unique_ptr<Transport<Bytes>> transport_;
  std::map<std::string, Lease<Bytes>> leases_;
  bool first_ = true;
};

}  // namespace fairlane::replay
