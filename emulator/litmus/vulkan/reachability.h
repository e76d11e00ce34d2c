#pragma once

/// \file
/// What a litmus thread may still do from a point of its code on.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The accesses and control barriers that the code of one thread leads to, whatever branches do.
class Reachability {
 public:
  explicit Reachability(const Test& test, const Thread& thread) : test_(test), thread_(thread) {}

  /// What may be done from instruction `at` on, without the jumps that may not be taken any more (their
  /// instructions, ascending). Lives as long as this.
  const explore::Later& from(std::size_t at, const std::vector<std::size_t>& spent);

 private:
  const Test& test_;
  const Thread& thread_;
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, explore::Later> known_;
};

}  // namespace heddle::litmus
