#pragma once

/// \file
/// Every memory that litmus tests run on.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/litmus/run/run.h"
#include "emulator/memory/policy.h"

namespace heddle::litmus {

struct MemoryUnderTest {
  std::string name;
  std::function<std::unique_ptr<memory::Memory>(Choice&)> make;
};

/// Sequentially consistent memory first.
inline std::vector<MemoryUnderTest> memories_under_test() {
  std::vector<MemoryUnderTest> out;
  for (const MemoryPolicy& policy : memory_policies())
    out.push_back({std::string(policy.name), run::memory_of(policy)});
  return out;
}

/// Weak memories whose clocks have these limits, one that draws and one that is as late as may be.
inline std::vector<MemoryUnderTest> memories_with(memory::ClockLimits limits) {
  std::vector<MemoryUnderTest> out;
  for (const char* name : {"random", "adversarial"}) {
    MemoryPolicy policy = memory_policy(name);
    policy.longest_wait = run::kLongestWait;
    out.push_back(
        {name + (", " + std::to_string(limits.slots)) + " slots, " + std::to_string(limits.agents) + " agents",
         [policy, limits](Choice& choice) { return memory::make_memory(policy, choice, limits); }});
  }
  return out;
}

}  // namespace heddle::litmus
