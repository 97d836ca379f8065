#include <cmath>
#include <stdexcept>
#include <string>

#include "fairlane/detail/arguments.h"
#include "fairlane/detail/worker_parts.h"
#include "fairlane/worker.h"

namespace fairlane {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& value) {
  throw std::invalid_argument(what + ": " + value);
}

std::string text(Duration duration) { return std::to_string(duration.value().count()) + " ns"; }

void check_share(const char* name, double value) {
  // Written so that what is not a number is refused too.
  if (!(value >= 0 && value <= 1)) {
    refuse(std::string(name) + " is not within 0..1", std::to_string(value));
  }
}

void check_count(const char* name, std::size_t value) {
  if (value == 0) refuse(std::string(name) + " is not at least 1", "0");
}

}  // namespace

Outcome Outcome::retry(Duration delay) {
  detail::check_duration(delay, "delay");
  return Outcome(Retry{delay});
}

void detail::check_worker_options(const WorkerOptions& options) {
  check_count("threads", options.threads);
  check_count("batch", options.batch);
  detail::check_duration(options.visibility, "visibility");
  detail::check_duration(options.grace, "grace");
  check_share("high_ratio", options.high_ratio);
  check_share("jitter", options.backoff.jitter);
  detail::check_duration(options.backoff.min, "backoff.min");
  detail::check_duration(options.backoff.max, "backoff.max");
  if (options.backoff.min > options.backoff.max) {
    refuse("backoff.min is more than backoff.max",
           text(options.backoff.min) + " > " + text(options.backoff.max));
  }
}

}  // namespace fairlane
