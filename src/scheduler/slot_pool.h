// Numbered slots in chunks: stable addresses, reuse without allocation, memory given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace fairlane::scheduler {

using Slot = std::uint32_t;
inline constexpr Slot no_slot = 0xffffffff;

/// A pool of `Record`s named by slot numbers. A chunk that has become empty is freed but for one
/// kept in reserve, so a pool that swings around a chunk's edge does not allocate each time.
/// `Record::free_link` lends a free record's link to the pool.
/// Threads: guarded by the owner.
template <class Record>
class SlotPool {
  static_assert(std::is_trivially_destructible_v<Record>);
  static constexpr Slot chunk_bits = 9;
  static constexpr Slot chunk_slots = Slot{1} << chunk_bits;

 public:
  SlotPool() = default;
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  Record& operator[](Slot slot) noexcept {
    return chunks_[slot >> chunk_bits]->records[slot & (chunk_slots - 1)];
  }
  const Record& operator[](Slot slot) const noexcept {
    return chunks_[slot >> chunk_bits]->records[slot & (chunk_slots - 1)];
  }

  /// A value-initialized record. Strong guarantee.
  Slot allocate() {
    if (partial_ == nullptr) add_chunk();
    Chunk& chunk = *partial_;
    Slot offset = chunk.free;
    if (offset != no_slot) {
      chunk.free = chunk.records[offset].free_link();
    } else {
      offset = chunk.untouched++;
    }
    if (chunk.live++ == 0 && empty_ == &chunk) empty_ = nullptr;
    if (chunk.live == chunk_slots) unlink(chunk);
    chunk.records[offset] = Record();
    return (chunk.index << chunk_bits) | offset;
  }

  void release(Slot slot) noexcept {
    Chunk& chunk = *chunks_[slot >> chunk_bits];
    Record& record = chunk.records[slot & (chunk_slots - 1)];
    record.free_link() = chunk.free;
    chunk.free = slot & (chunk_slots - 1);
    if (chunk.live-- == chunk_slots) link(chunk);
    if (chunk.live == 0) retire(chunk);
  }

  /// How many chunks of memory it holds.
  std::size_t chunks() const noexcept { return chunks_.size() - free_indices_.size(); }

  /// Hints that `slot` is about to be used.
  [[gnu::always_inline]] void prefetch(Slot slot) const noexcept {
    const auto* const begin = reinterpret_cast<const char*>(&(*this)[slot]);
    __builtin_prefetch(begin);
    __builtin_prefetch(begin + sizeof(Record) - 1);  // It may lie across two cache lines.
  }

 private:
  struct Chunk {
    Slot index;
    Slot live = 0;
    Slot free = no_slot;
    Slot untouched = 0;
    Chunk* previous = nullptr;
    Chunk* next = nullptr;
    Record records[chunk_slots];
  };

  void add_chunk() {
    if (free_indices_.empty()) {
      chunks_.push_back(nullptr);
      free_indices_.reserve(chunks_.size());  // So that a chunk can be retired without failing.
      free_indices_.push_back(static_cast<Slot>(chunks_.size() - 1));
    }
    auto chunk = std::make_unique<Chunk>();  // All zero: idle records.
    chunk->index = free_indices_.back();
    free_indices_.pop_back();
    link(*chunk);
    chunks_[chunk->index] = std::move(chunk);
  }

  void retire(Chunk& chunk) noexcept {
    if (empty_ == nullptr) {
      empty_ = &chunk;
      return;
    }
    unlink(chunk);
    const Slot index = chunk.index;
    chunks_[index].reset();
    free_indices_.push_back(index);
  }

  void link(Chunk& chunk) noexcept {
    chunk.previous = nullptr;
    chunk.next = partial_;
    if (partial_ != nullptr) partial_->previous = &chunk;
    partial_ = &chunk;
  }

  void unlink(Chunk& chunk) noexcept {
    (chunk.previous != nullptr ? chunk.previous->next : partial_) = chunk.next;
    if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Slot> free_indices_;
  Chunk* partial_ = nullptr;  // Chunks with room, the one that got room last first.
  Chunk* empty_ = nullptr;    // The one empty chunk that is kept.
};

}  // namespace fairlane::scheduler
