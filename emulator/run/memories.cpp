#include "emulator/run/memories.h"

#include <algorithm>

#include "emulator/memory/policy.h"

namespace heddle::run {

std::function<std::unique_ptr<memory::Memory>(Choice&)> memory_of(const MemoryPolicy& policy) {
  // A memory refers to its policy, and this function is what outlives it.
  auto ours = std::make_shared<MemoryPolicy>(policy);
  ours->longest_wait = std::min(ours->longest_wait, kLongestWait);
  return [ours](Choice& choice) { return memory::make_memory(*ours, choice); };
}

}  // namespace heddle::run
