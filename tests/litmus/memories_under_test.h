#pragma once

/// \file
/// Every memory that litmus tests run on.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/memory/sequential.h"

namespace heddle::litmus {

struct MemoryUnderTest {
  std::string name;
  std::function<std::unique_ptr<memory::Memory>(Choice&)> make;
};

inline std::vector<MemoryUnderTest> memories_under_test() {
  return {{"sequentially consistent",
           [](Choice&) { return std::make_unique<memory::SequentialMemory>(); }}};
}

}  // namespace heddle::litmus
