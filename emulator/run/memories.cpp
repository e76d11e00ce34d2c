#include "emulator/run/memories.h"

#include <algorithm>

namespace heddle::run {

std::function<std::unique_ptr<memory::Memory>(Choice&)> memory_of(const MemoryPolicy& policy,
                                                                  memory::ClockLimits limits) {
  // A memory refers to its policy, and this function is what outlives it.
  auto ours = std::make_shared<MemoryPolicy>(policy);
  ours->longest_wait = std::min(ours->longest_wait, kLongestWait);
  return [ours, limits](Choice& choice) { return memory::make_memory(*ours, choice, limits); };
}

}  // namespace heddle::run
