#pragma once

/// \file
/// heddle's own heap: mimalloc's, of which the program's `operator new` and malloc know nothing.

#include <cstddef>
#include <limits>
#include <new>

namespace heddle::runtime {

/// `bytes` (at least one) at a multiple of `alignment`, a power of two; null if there is no memory. `zeroed`: all are
/// 0. (Pages that no access touches are not touched here either.)
void* heap_take(std::size_t bytes, std::size_t alignment, bool zeroed) noexcept;
/// Gives back what heap_take gave, on any thread. Null: nothing.
void heap_give(void* memory) noexcept;

/// Gives it back where a std::unique_ptr ends.
struct HeapGiver {
  void operator()(void* memory) const noexcept { heap_give(memory); }
};

/// For containers of the standard library whose memory is to be of that heap.
template <typename T>
class HeapAllocator {
 public:
  using value_type = T;
  HeapAllocator() = default;
  template <typename U>
  HeapAllocator(const HeapAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = heap_take(count * sizeof(T), alignof(T), false);
    if (!memory) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { heap_give(memory); }
  template <typename U>
  bool operator==(const HeapAllocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace heddle::runtime
