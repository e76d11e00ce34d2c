#include "emulator/watch/code_instructions.h"

#include "runtime/code_line.h"

namespace heddle::watch {

SourceLocation CodeInstructions::place_of(const SourceLocation& where) const {
  return runtime::source_of(where);
}

trace::CallsId CodeInstructions::calls_now() {
  const runtime::CallStack stack = runtime::CallStack::here();
  const auto next = static_cast<trace::CallsId>(stacks_.size() + 1);
  const auto [known, fresh] = known_.try_emplace(stack.return_addresses(), next);
  if (fresh) stacks_.push_back(&known->first);
  return known->second;
}

runtime::CallStack CodeInstructions::stack_of(trace::CallsId calls) const {
  return runtime::CallStack(*stacks_[static_cast<std::size_t>(calls) - 1]);
}

std::vector<SourceLocation> CodeInstructions::calls_to(const SourceLocation& where, trace::CallsId calls) const {
  if (calls == trace::CallsId::None) return {};
  return runtime::calls_to(where, stack_of(calls));
}

}  // namespace heddle::watch
