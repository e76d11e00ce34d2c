#pragma once

/// \file
/// heddle's own heap: mimalloc's, of which the program's `operator new` and malloc know nothing.

#include <cstddef>

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

}  // namespace heddle::runtime
