#include "roles.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "fairlane/error.h"
#include "fairlane/open.h"

namespace fairlane::torture {

namespace {

using std::chrono::milliseconds;

/// Lines appended whole, by many processes.
class Log {
 public:
  explicit Log(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + path);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { ::close(file_); }

  void line(const std::string& text) const {
    const std::string whole = text + "\n";
    if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
      throw std::runtime_error("cannot write a log");
    }
  }

 private:
  int file_;
};

/// Whether this process alone handles a group now.
class GroupLock {
 public:
  GroupLock(const Run& run, const std::string& group)
      : file_(::open((run.folder + "/lock-" + group).c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                     S_IRUSR | S_IWUSR)),
        held_(file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0) {}
  GroupLock(const GroupLock&) = delete;
  GroupLock& operator=(const GroupLock&) = delete;
  ~GroupLock() {
    if (file_ >= 0) ::close(file_);
  }
  bool held() const noexcept { return held_; }

 private:
  int file_;
  bool held_;
};

Duration visibility(const Run& run) {
  return std::chrono::duration<double>(run.visibility_seconds);
}

/// A transport that may be out of reach for a while.
template <class Call>
auto insist(Call call) {
  for (;;) {
    try {
      return call();
    } catch (const TransportError& error) {
      if (error.code() != ErrorCode::unavailable) throw;
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
}

class Worker {
 public:
  Worker(const Run& run, std::string name)
      : run_(run),
        name_(std::move(name)),
        handled_(run.folder + "/handled"),
        complaints_(run.folder + "/complaints"),
        transport_(insist([&] { return open(run.url); })) {}

  /// False if nothing came within the timeout.
  bool work_once(Duration timeout) {
    auto lease = transport_->claim_wait(name_, visibility(run_), 0, timeout);
    for (; lease; lease = settle(*lease)) handle(*lease);
    return lease.has_value();
  }
  Control<Bytes>& control() { return transport_->control(); }

 private:
  void handle(const Lease<Bytes>& lease) const {
    const std::string group(lease.group_id());
    const GroupLock lock(run_, group);
    if (!lock.held()) complaints_.line("two handle group " + group + " at once");
    handled_.line(group + " " + std::to_string(lease.seq()) + " " + lease.event());
  }

  std::optional<Lease<Bytes>> settle(const Lease<Bytes>& lease) {
    switch (random_() % 10) {
      case 0:
        static_cast<void>(transport_->nack(lease));
        return std::nullopt;
      case 1:
        static_cast<void>(transport_->nack(lease, milliseconds(5)));
        return std::nullopt;
      case 2:
        static_cast<void>(transport_->release(lease));
        return std::nullopt;
      case 3:
        static_cast<void>(transport_->extend(lease, visibility(run_)));
        [[fallthrough]];
      case 4:
        acked(transport_->ack(lease), lease);
        return std::nullopt;
      default:
        auto both = transport_->ack_claim(lease, name_, visibility(run_));
        acked(both.settled, lease);
        return both.lease;
    }
  }

  void acked(Settled settled, const Lease<Bytes>& lease) const {
    if (settled == Settled::stale) {
      complaints_.line("a living worker lost the lease of seq " + std::to_string(lease.seq()));
    }
  }

  const Run& run_;
  const std::string name_;
  const Log handled_;
  const Log complaints_;
  const std::unique_ptr<Transport<Bytes>> transport_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace

void publish_for_ever(const Run& run, const std::string& name) {
  const Log published(run.folder + "/published-" + name);
  const auto transport = insist([&] { return open(run.url); });
  std::minstd_rand random{std::random_device{}()};
  for (std::uint64_t number = 1;; ++number) {
    const std::string group = "g" + std::to_string(random() % static_cast<unsigned>(run.groups));
    const std::string event = name + ":" + std::to_string(number);
    insist([&] { return transport->publish(group, event); });
    published.line(group + " " + event);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
  }
}

void work_for_ever(const Run& run, const std::string& name) {
  Worker worker(run, name);
  for (;;) worker.work_once(std::chrono::seconds(1));
}

void work_until_empty(const Run& run, const std::string& name) {
  Worker worker(run, name);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (worker.control().stats().groups > 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("a group is stuck: " + worker.control().groups({.limit = 1}).at(0));
    }
    worker.work_once(milliseconds(100));
  }
}

}  // namespace fairlane::torture
