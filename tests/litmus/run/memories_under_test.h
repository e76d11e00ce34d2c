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

}  // namespace heddle::litmus
