#pragma once

/// \file
/// Memory of a logical device: buffers are bound to it, and the host maps it.

#include <heddle/buffer.h>
#include <heddle/detail/queue_engine.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace heddle {

/// What memory can do (VkMemoryPropertyFlags).
enum class MemoryProperty : std::uint8_t {
  /// Memory that the host cannot map.
  DeviceLocal,
  /// Memory whose maps want flush and invalidate, in atoms of LogicalDeviceOptions::non_coherent_atom_size.
  HostVisible,
  /// Memory whose host writes are available to, and visible from, the host domain without those.
  HostCoherent,
};

/// Who uses a buffer (VkSharingMode).
enum class SharingMode : std::uint8_t {
  /// One queue family at a time: what passes its contents on is a transfer of ownership.
  Exclusive,
  Concurrent,
};

template <typename T>
class BufferView;
template <typename T>
class DeviceMemory;

/// A map of memory (vkMapMemory): elements that the host reads and writes. Not atomic.
template <typename T>
class MappedMemory {
 public:
  std::uint64_t size() const { return count_; }
  /// Element `index` of the map. Throws std::logic_error outside of the map, and when it is unmapped; on an emulated
  /// host thread KernelError where nobody has written the element, and nothing is to come that might.
  T read(std::uint64_t index, SourceLocation where = SourceLocation::current()) const {
    T out{};
    engine_->read(*state_, begin_ + index * sizeof(T), std::as_writable_bytes(std::span(&out, 1)), where);
    return out;
  }
  void write(std::uint64_t index, const T& value, SourceLocation where = SourceLocation::current()) const {
    engine_->write(*state_, begin_ + index * sizeof(T), std::as_bytes(std::span(&value, 1)), where);
  }
  /// The first elements, as many as there are values.
  void write(std::span<const T> values, SourceLocation where = SourceLocation::current()) const {
    engine_->write(*state_, begin_, std::as_bytes(values), where);
  }

 private:
  friend class DeviceMemory<T>;
  MappedMemory(std::shared_ptr<detail::QueueEngine> engine, std::shared_ptr<detail::MemoryState> state,
               std::uint64_t begin, std::uint64_t count)
      : engine_(std::move(engine)), state_(std::move(state)), begin_(begin), count_(count) {}

  std::shared_ptr<detail::QueueEngine> engine_;
  std::shared_ptr<detail::MemoryState> state_;
  std::uint64_t begin_ = 0;
  std::uint64_t count_ = 0;
};

/// Memory (VkDeviceMemory) for elements of type `T`. Copies are the same memory; offsets and counts are elements.
template <typename T>
class DeviceMemory {
 public:
  DeviceMemory(std::shared_ptr<detail::QueueEngine> engine, std::shared_ptr<detail::MemoryState> state)
      : engine_(std::move(engine)), state_(std::move(state)) {}

  std::uint64_t size() const { return state_->owner->size_bytes / sizeof(T); }
  /// A buffer on all of this memory (vkCreateBuffer, vkBindBufferMemory). Each call makes another buffer: two of them
  /// are aliases, and a barrier of the one is not of the other.
  Buffer<T> buffer() const { return Buffer<T>(state_->owner, size()); }
  /// A buffer of `count` elements of any type, from byte `offset_bytes` of this memory on, which is a multiple of the
  /// element's size (VkMemoryRequirements::alignment); needs heddle/buffer_view.h. Throws std::logic_error outside of
  /// the memory.
  template <typename U = T>
  BufferView<U> buffer_at(std::uint64_t offset_bytes, std::uint64_t count) const {
    if (offset_bytes % sizeof(U) != 0) refuse("buffer_at", "the offset is no multiple of the element's size");
    if (offset_bytes > state_->owner->size_bytes || count > (state_->owner->size_bytes - offset_bytes) / sizeof(U))
      refuse("buffer_at", "the buffer ends outside of it");
    return BufferView<U>(state_->owner, state_->owner.new_reference(), offset_bytes, count, state_->owner.name());
  }

  /// Throws std::logic_error for memory that the host cannot see, or that is mapped.
  MappedMemory<T> map(std::uint64_t first = 0, std::uint64_t count = kWholeSize,
                      SourceLocation where = SourceLocation::current()) const {
    if (!state_->host_visible) refuse("map", "it is not host visible");
    if (state_->mapped) refuse("map", "it is mapped already");
    check(first, count, "map");
    state_->mapped = true;
    state_->map_begin = first * sizeof(T);
    state_->map_end = end_of(first, count);
    engine_->maps(*state_, "map", where);
    return MappedMemory<T>(engine_, state_, state_->map_begin, (state_->map_end - state_->map_begin) / sizeof(T));
  }
  /// Does not flush.
  void unmap(SourceLocation where = SourceLocation::current()) const {
    if (!state_->mapped) refuse("unmap", "it is not mapped");
    engine_->maps(*state_, "unmap", where);
    state_->mapped = false;
  }
  /// Makes host writes to the range available to the host domain, whole atoms (vkFlushMappedMemoryRanges).
  void flush(std::uint64_t first = 0, std::uint64_t count = kWholeSize,
             SourceLocation where = SourceLocation::current()) const {
    check_mapped(first, count, "flush");
    engine_->flush(*state_, first * sizeof(T), end_of(first, count) - first * sizeof(T), where);
  }
  /// Makes what is available to the host domain visible to the host, whole atoms (vkInvalidateMappedMemoryRanges).
  void invalidate(std::uint64_t first = 0, std::uint64_t count = kWholeSize,
                  SourceLocation where = SourceLocation::current()) const {
    check_mapped(first, count, "invalidate");
    engine_->invalidate(*state_, first * sizeof(T), end_of(first, count) - first * sizeof(T), where);
  }
  /// Must happen after every access to it (vkFreeMemory). Throws std::logic_error if it was freed before.
  void free(SourceLocation where = SourceLocation::current()) const {
    if (state_->freed) refuse("free", "it was freed before");
    engine_->free(*state_, where);
  }

 private:
  [[noreturn]] void refuse(const char* call, const char* what) const {
    detail::refuse_call(call, state_->owner.name(), what);
  }
  std::uint64_t end_of(std::uint64_t first, std::uint64_t count) const {
    return (count == kWholeSize ? size() : first + count) * sizeof(T);
  }
  void check(std::uint64_t first, std::uint64_t count, const char* call) const {
    if (state_->freed) refuse(call, "it was freed");
    if (first > size() || (count != kWholeSize && count > size() - first)) refuse(call, "the range ends outside of it");
  }
  void check_mapped(std::uint64_t first, std::uint64_t count, const char* call) const {
    check(first, count, call);
    if (!state_->mapped) refuse(call, "it is not mapped");
    if (count != kWholeSize && (first * sizeof(T) < state_->map_begin || end_of(first, count) > state_->map_end))
      refuse(call, "the range is outside of the map");
  }

  std::shared_ptr<detail::QueueEngine> engine_;
  std::shared_ptr<detail::MemoryState> state_;
};

}  // namespace heddle
