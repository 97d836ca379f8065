// Where one thread of a worker works, and where the worker's supervisors look on. Not for direct
// use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/detail/thread_annotations.h"
#include "fairlane/detail/worker_parts.h"
#include "fairlane/lease.h"

namespace fairlane::detail {

/// What was taken away from a thread.
template <class Event>
struct Taken {
  std::vector<Lease<Event>> handled;        ///< their handlers said done; they are yet to be acked
  std::vector<Lease<Event>> unstarted;      ///< to be released
  std::optional<Lease<Event>> in_hand;      ///< still the thread's to settle
  std::stop_source stop{std::nostopstate};  ///< of the handler in hand
};

/// What a supervisor sees of a thread.
struct Glimpse {
  std::uint64_t batch = 0;  ///< counts the thread's batches
  std::size_t begun = 0;    ///< of the batch
  std::size_t size = 0;     ///< of the batch
  bool busy = false;        ///< a message is in hand, or about to be
  bool revoked = false;
  std::uint64_t fence = 0;  ///< of the message in hand; 0: none
  Instant expires_at{};

  bool same_place(const Glimpse& other) const noexcept {
    return batch == other.batch && begun == other.begun;
  }
};

/// A thread's place and its batch: leases of different groups, handled one after the other.
///
/// The thread begins each message by one step of a counter that is its own cache line; supervisors
/// may end the batch at any moment by a mark in it. Whoever's step comes first has the message, so
/// each lease is settled by exactly one of them.
///
/// Threads: members up to `revoked` from the seat's own thread, the others from any. The batch is
/// changed by its thread under the mutex, so the thread reads it without.
template <class Event>
class alignas(64) Seat {
 public:
  Seat(std::string id, double high_ratio, std::size_t most)
      : worker_id(std::move(id)), mix(high_ratio), pace(most) {}

  /// Begins a batch; the one before goes to `incoming`, to be destroyed there with no lock held.
  void begin(std::vector<Lease<Event>>& incoming) {
    const SeatLock lock(mutex_);
    done_.assign(incoming.size(), 0);
    if (stop_given_) stop_ = std::stop_source();
    stop_given_ = false;
    batch_.swap(incoming);
    end_ = batch_.size();
    ++batch_number_;
    any_begun_ = false;
    cursor_.reset();
  }

  /// Finishes the message in hand and begins the next; null if there is none, or no longer.
  const Lease<Event>* next() FAIRLANE_NO_THREAD_SAFETY_ANALYSIS {
    const auto place = cursor_.advance();
    ended_revoked_ = place.revoked;
    if (place.revoked || place.begun >= batch_.size()) return nullptr;
    at_ = place.begun;
    any_begun_ = true;
    return &batch_[at_];
  }

  /// The handler of the message in hand said done; the ack comes with the end of the batch.
  void mark_done() noexcept FAIRLANE_NO_THREAD_SAFETY_ANALYSIS { done_[at_] = 1; }

  std::size_t batch_size() const noexcept FAIRLANE_NO_THREAD_SAFETY_ANALYSIS {
    return batch_.size();
  }

  /// Of the handler in hand.
  std::stop_token token() const FAIRLANE_NO_THREAD_SAFETY_ANALYSIS { return stop_.get_token(); }

  /// After `next` gave null: those whose ack is this thread's to make. `acks` is where they are
  /// gathered if they do not stand side by side.
  std::span<const Lease<Event>> unacked(std::vector<Lease<Event>>& acks)
      FAIRLANE_NO_THREAD_SAFETY_ANALYSIS {
    if (ended_revoked_) {
      // What was finished before the message in hand went to who revoked.
      const bool last_is_mine = any_begun_ && done_[at_] != 0;
      return {batch_.data() + at_, last_is_mine ? 1U : 0U};
    }
    const auto undone = std::find(done_.begin(), done_.end(), char{0});
    if (undone == done_.end()) return batch_;
    for (std::size_t at = 0; at < batch_.size(); ++at) {
      if (done_[at] != 0) acks.push_back(batch_[at]);
    }
    return acks;
  }

  /// After `next` gave null: whether the batch was ended by somebody.
  bool revoked() const noexcept { return ended_revoked_; }

  Glimpse look() const {
    const SeatLock lock(mutex_);
    const auto place = cursor_.look();
    Glimpse glimpse{batch_number_, place.begun, batch_.size(), place.begun <= end_ && end_ > 0,
                    place.revoked, 0,           Instant{}};
    if (glimpse.busy && place.begun > 0) {
      glimpse.fence = batch_[place.begun - 1].fence();
      glimpse.expires_at = batch_[place.begun - 1].expires_at();
    }
    return glimpse;
  }

  /// The lease in hand, if it is that of `fence`.
  std::optional<Lease<Event>> in_hand(std::uint64_t fence) const {
    const SeatLock lock(mutex_);
    return in_hand_at(cursor_.look().begun, fence);
  }

  /// Ends the batch: all but the message in hand is the caller's from now on.
  Taken<Event> revoke() {
    const SeatLock lock(mutex_);
    return revoke_locked();
  }

  /// Ends the batch as `revoke` does, and hands out the stop of the handler in hand, if any.
  /// With a `fence`, only if that is in hand.
  Taken<Event> revoke_to_stop(std::optional<std::uint64_t> fence = std::nullopt) {
    const SeatLock lock(mutex_);
    if (fence && !in_hand_at(cursor_.look().begun, *fence)) return {};
    auto taken = revoke_locked();
    if (taken.in_hand) {
      // The thread takes a fresh one before it begins another handler, which the mark makes it do
      // under this lock first.
      taken.stop = stop_;
      stop_given_ = true;
    }
    return taken;
  }

  const std::string worker_id;
  ClaimMix mix;
  Pace pace;

 private:
  std::optional<Lease<Event>> in_hand_at(std::size_t begun,
                                         std::optional<std::uint64_t> fence) const
      FAIRLANE_REQUIRES(mutex_) {
    if (begun == 0 || begun > end_) return std::nullopt;
    const auto& lease = batch_[begun - 1];
    if (fence && lease.fence() != *fence) return std::nullopt;
    return lease;
  }

  Taken<Event> revoke_locked() FAIRLANE_REQUIRES(mutex_) {
    Taken<Event> taken;
    // May fail, and then nothing was taken.
    taken.handled.reserve(batch_.size());
    taken.unstarted.reserve(batch_.size());
    const auto place = cursor_.revoke();
    taken.in_hand = in_hand_at(place.begun, std::nullopt);
    if (place.revoked || place.begun > end_) return taken;  // Nothing is left of it.
    for (std::size_t at = 0; at + 1 < place.begun; ++at) {
      if (done_[at] != 0) taken.handled.push_back(batch_[at]);
    }
    std::copy(batch_.begin() + static_cast<std::ptrdiff_t>(place.begun), batch_.end(),
              std::back_inserter(taken.unstarted));
    end_ = place.begun;
    return taken;
  }

  Cursor cursor_;
  // Of the thread alone.
  std::size_t at_ = 0;
  bool any_begun_ = false;
  bool ended_revoked_ = false;

  mutable SeatMutex mutex_;
  std::vector<Lease<Event>> batch_ FAIRLANE_GUARDED_BY(mutex_);
  std::vector<char> done_ FAIRLANE_GUARDED_BY(mutex_);
  /// Messages of the batch that its thread may begin.
  std::size_t end_ FAIRLANE_GUARDED_BY(mutex_) = 0;
  std::uint64_t batch_number_ FAIRLANE_GUARDED_BY(mutex_) = 0;
  std::stop_source stop_ FAIRLANE_GUARDED_BY(mutex_);
  bool stop_given_ FAIRLANE_GUARDED_BY(mutex_) = false;
};

}  // namespace fairlane::detail
