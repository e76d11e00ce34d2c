#pragma once

/// \file
/// The instructions of kernels in C++: lines of their source, and the calls of helpers.

#include <map>
#include <vector>

#include "emulator/trace/instructions.h"
#include "runtime/call_stack.h"

namespace heddle::watch {

/// What the debug information of the program says of its code. Each watch of a device has its own. Not thread-safe.
class CodeInstructions final : public trace::Instructions {
 public:
  SourceLocation place_of(const SourceLocation& where) const override;
  trace::CallsId calls_now() override;
  std::vector<SourceLocation> calls_to(const SourceLocation& where, trace::CallsId calls) const override;

 private:
  using ReturnAddresses = std::vector<const void*>;

  runtime::CallStack stack_of(trace::CallsId calls) const;

  std::map<ReturnAddresses, trace::CallsId> known_;
  /// By CallsId, less that of none.
  std::vector<const ReturnAddresses*> stacks_;
};

}  // namespace heddle::watch
