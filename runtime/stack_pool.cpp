#include "runtime/stack_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace heddle::runtime {

namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// As far as compilers go at once where they take care not to jump over a guard (-fstack-clash-protection): a page on
// x86-64, 64 KiB on AArch64. Address space only.
std::size_t least_guard_bytes() {
  return std::max(page_bytes(), std::size_t{64} * 1024);
}

// The hot ends of stacks that lie side by side come by turns: were they a power of two apart, or a multiple of a
// large one, few sets of the TLB would have to hold them all. An odd number of pages apart, they use every set.
std::size_t guard_bytes(std::size_t stack_bytes) {
  const std::size_t pages = (least_guard_bytes() + stack_bytes) / page_bytes();
  return least_guard_bytes() + (pages % 2 == 0 ? page_bytes() : 0);
}

}  // namespace

bool Stack::guards(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return bottom && byte >= bottom - guard_bytes(bytes()) && byte < bottom;
}

StackPool& StackPool::instance() {
  // Never destroyed: threads give their stacks back when they end, and some end after main. Nor made when it is first
  // wanted: what guards a static variable then is code of ours, which ThreadSanitizer does not see in a program of
  // which it has only the rest.
  union Kept {
    constexpr Kept() : pool() {}
    ~Kept() {}
    StackPool pool;
  };
  static constinit Kept kept;
  return kept.pool;
}

Stack StackPool::take(std::size_t bytes) {
  const std::size_t page = page_bytes();
  bytes = (std::max(bytes, 2 * page) + page - 1) / page * page;
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(free_.begin(), free_.end(), [&](const Stack& s) { return s.bytes() == bytes; });
  if (found != free_.end()) {
    const Stack stack = *found;
    *found = free_.back();
    free_.pop_back();
    return stack;
  }
  const std::size_t guard = guard_bytes(bytes);
  void* mapped = mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED || mprotect(mapped, guard, PROT_NONE) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "heddle: no room for another fiber stack (" + std::to_string(bytes) + " bytes; " +
                                std::to_string(all_.size()) + " stacks exist)");
  }
  auto* bottom = static_cast<std::byte*>(mapped) + guard;
  all_.push_back({bottom, bottom + bytes});
  return all_.back();
}

void StackPool::give(Stack stack) {
  const std::lock_guard lock(mutex_);
  free_.push_back(stack);
}

std::size_t StackPool::high_water_bytes() {
  const std::lock_guard lock(mutex_);
  std::size_t deepest = 0;
  std::vector<unsigned char> resident;
  for (const Stack& stack : all_) {
    resident.resize(stack.bytes() / page_bytes());
    if (mincore(stack.bottom, stack.bytes(), resident.data()) != 0) continue;
    const auto first =
        std::find_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; });
    deepest = std::max(deepest, static_cast<std::size_t>(resident.end() - first) * page_bytes());
  }
  return deepest;
}

}  // namespace heddle::runtime
