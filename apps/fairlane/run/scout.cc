#include "run/scout.h"

#include <utility>

namespace fairlane::run {

Scout::Scout(Claims& claims) : claims_(claims), thread_([this] { run(); }) {}

Scout::~Scout() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Scout::send() {
  out_ = true;
  {
    const std::lock_guard lock(mutex_);
    sent_ = true;
  }
  changed_.notify_all();
}

std::optional<Lease<Bytes>> Scout::take() {
  const std::lock_guard lock(mutex_);
  if (!is_back_) return std::nullopt;
  is_back_ = false;
  out_ = false;
  back_.lower();
  return std::exchange(found_, std::nullopt);
}

std::optional<Lease<Bytes>> Scout::recall() {
  if (!out_) return std::nullopt;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_back_; });
  }
  return take();
}

void Scout::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return sent_ || over_; });
    if (over_) return;
    sent_ = false;
    lock.unlock();
    std::optional<Lease<Bytes>> found;
    try {
      found = claims_.wait();
    } catch (const std::exception&) {
      // The worker finds out by its own next claim.
    }
    lock.lock();
    found_ = std::move(found);
    is_back_ = true;
    back_.raise();
    changed_.notify_all();
  }
}

}  // namespace fairlane::run
