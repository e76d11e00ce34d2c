#include "runtime/red_zone.h"

#include "runtime/heap.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

// Weak: present only where the program was linked with the sanitizer's runtime. (heddle itself may be compiled
// without.)
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(void const volatile* begin, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(void const volatile* begin, std::size_t size);
}

namespace heddle::runtime {
namespace {

// A zone is a multiple of this, so that the memory behind it is aligned as it would be without.
constexpr std::size_t kAlignment = 64;

/// The size of the zones of a block is noted at the end of the one before it.
std::size_t& zone_before(std::byte* memory) {
  return *reinterpret_cast<std::size_t*>(memory - sizeof(std::size_t));
}

}  // namespace

bool has_red_zones() noexcept {
  return __asan_poison_memory_region && __asan_unpoison_memory_region;
}

void* take_in_red_zones(std::size_t bytes, std::size_t alignment, bool zeroed, std::size_t zone_bytes) noexcept {
  if (!has_red_zones()) return heap_take(bytes, alignment, zeroed);
  const std::size_t zone = (std::max(zone_bytes, kAlignment) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > std::numeric_limits<std::size_t>::max() / 2 - 2 * zone) return nullptr;
  auto* const begin = static_cast<std::byte*>(heap_take(zone + bytes + zone, kAlignment, zeroed));
  if (!begin) return nullptr;
  std::byte* const memory = begin + zone;
  zone_before(memory) = zone;
  __asan_poison_memory_region(begin, zone);
  __asan_poison_memory_region(memory + bytes, zone);
  return memory;
}

void give_in_red_zones(void* memory) noexcept {
  if (!has_red_zones() || !memory) return heap_give(memory);
  auto* const bytes = static_cast<std::byte*>(memory);
  __asan_unpoison_memory_region(bytes - sizeof(std::size_t), sizeof(std::size_t));
  heap_give(bytes - zone_before(bytes));
}

}  // namespace heddle::runtime
