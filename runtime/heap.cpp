#include "runtime/heap.h"

#include "runtime/fiber.h"

#include <dlfcn.h>
#include <mimalloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace heddle::runtime {
namespace {

// Where a sanitizer is in the process, its heap: it knows what is allocated and what was freed.
void* take_of_program(std::size_t bytes, std::size_t alignment) {
  void* memory = nullptr;
  return posix_memalign(&memory, std::max(alignment, sizeof(void*)), bytes) == 0 ? memory : nullptr;
}
void* take_zeroed_of_program(std::size_t bytes, std::size_t alignment) {
  void* const memory = take_of_program(bytes, alignment);
  if (memory) std::memset(memory, 0, bytes);
  return memory;
}

/// The functions that heddle's memory comes from and goes to.
struct Heap {
  using Take = void* (*)(std::size_t bytes, std::size_t alignment);
  using Give = void (*)(void* memory);
  Take take = &take_of_program;
  Take take_zeroed = &take_zeroed_of_program;
  Give give = &std::free;
};
// As the library's header declares them.
static_assert(requires(Heap h) { h.take = mi_malloc_aligned, h.take_zeroed = mi_zalloc_aligned, h.give = mi_free; });

/// Finds a function of `library`; false if it has none of that name.
template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Debian's library has malloc, free and operator new besides: linked, it would take the place of those of the whole
// program. Opened for heddle alone, it takes nobody's. (A program without the library goes on with its own heap.)
Heap make_heap() {
  if (kSanitized) return {};
  void* const library = dlopen(HEDDLE_MIMALLOC, RTLD_NOW | RTLD_LOCAL);
  Heap heap;
  if (library && find(library, "mi_malloc_aligned", heap.take) &&
      find(library, "mi_zalloc_aligned", heap.take_zeroed) && find(library, "mi_free", heap.give))
    return heap;
  return {};
}

const Heap& heap() {
  static const Heap made = make_heap();
  return made;
}

}  // namespace

void* heap_take(std::size_t bytes, std::size_t alignment, bool zeroed) noexcept {
  return zeroed ? heap().take_zeroed(bytes, alignment) : heap().take(bytes, alignment);
}

void heap_give(void* memory) noexcept {
  heap().give(memory);
}

}  // namespace heddle::runtime
