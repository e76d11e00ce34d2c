#pragma once

/// \file
/// The instruction that trapped on a thread.

#include <array>
#include <cstddef>
#include <span>

#include "runtime/call_stack.h"

namespace heddle::runtime {

/// What the handler of a trap notes for the finding. It takes no memory.
class Trap {
 public:
  /// The instruction that trapped, in calls that are not known.
  void note(const void* instruction) {
    at_ = instruction;
    call_count_ = 0;
  }
  /// The calls that it is in, from here on the handler's way.
  void note_calls() { call_count_ = calls_here(calls_); }

  const void* at() const { return at_; }
  CallStack calls() const { return CallStack(std::span<const void* const>(calls_.data(), call_count_)); }

 private:
  const void* at_ = nullptr;
  std::array<const void*, CallStack::kMostCalls> calls_{};
  std::size_t call_count_ = 0;
};

}  // namespace heddle::runtime
