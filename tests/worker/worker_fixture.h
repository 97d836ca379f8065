// What the worker's tests share: an observer that notes everything, and a way to await a state.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/faulty_transport.h"
#include "fairlane/testing/manual_clock.h"
#include "fairlane/worker.h"

namespace fairlane {

using namespace std::chrono_literals;
using Queue = InMemoryTransport<std::string>;
using Message = Lease<std::string>;

/// Awaits what other threads bring about.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// Notes "claimed a/1" and the like: what, group and seq.
class Notes : public WorkerObserver<std::string> {
 public:
  void claimed(const Message& lease) override { note("claimed", lease); }
  void done(const Message& lease) override { note("done", lease); }
  void retried(const Message& lease, Duration delay, std::string_view why) override {
    note("retried", lease, std::to_string(delay.value() / 1ms) + "ms " + std::string(why));
  }
  void dead(const Message& lease, std::string_view reason) override {
    note("dead", lease, std::string(reason));
  }
  void released(const Message& lease) override { note("released", lease); }
  void stale(const Message& lease) override { note("stale", lease); }
  void lost(const Message& lease) override { note("lost", lease); }
  void failed(std::exception_ptr) override { add("failed"); }

  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  std::size_t count(const std::string& begin) const {
    const std::lock_guard lock(mutex_);
    return count_locked(begin);
  }
  void await(const std::string& begin, std::size_t times = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_locked(begin) >= times; });
  }

 private:
  std::size_t count_locked(const std::string& begin) const {
    std::size_t count = 0;
    for (const auto& each : notes_) count += each.starts_with(begin) ? 1 : 0;
    return count;
  }
  void note(const std::string& what, const Message& lease, const std::string& more = {}) {
    add(what + " " + std::string(lease.group_id()) + "/" + std::to_string(lease.seq()) +
        (more.empty() ? "" : " " + more));
  }
  void add(std::string note) {
    {
      const std::lock_guard lock(mutex_);
      notes_.push_back(std::move(note));
    }
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

class WorkerTest : public ::testing::Test {
 protected:
  void publish(const std::string& group, std::string event = "e", std::int32_t priority = 0) {
    queue.publish(group, std::move(event), priority);
  }
  std::string state(const std::string& group) {
    return std::string(to_string(queue.control().inspect(group).state));
  }
  template <class Worker>
  std::jthread start(Worker& worker) {
    return std::jthread([&worker](std::stop_token stop) { worker.run(stop); });
  }
  /// Returns once `met` holds, which other threads bring about.
  static void await(const std::function<bool()>& met) {
    while (!met()) std::this_thread::yield();
  }

  std::shared_ptr<testing::ManualClock> clock =
      std::make_shared<testing::ManualClock>(Instant(1'000s));
  Queue queue{{.clock = clock}};
  Notes notes;
};

}  // namespace fairlane
