#include "emulator/litmus/vulkan/reachability.h"

#include <algorithm>

#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {
namespace {

bool accesses_memory(const Instruction& instruction) {
  return instruction.kind == InstructionKind::Load || instruction.kind == InstructionKind::Store ||
         instruction.kind == InstructionKind::ReadModifyWrite;
}

}  // namespace

const explore::Later& Reachability::from(std::size_t at, const std::vector<std::size_t>& spent) {
  const auto [entry, fresh] = known_.try_emplace({at, spent});
  explore::Later& later = entry->second;
  if (!fresh) return later;
  const std::vector<Instruction>& code = thread_.code;
  std::vector<bool> reached(code.size() + 1, false);
  std::vector<std::size_t> next{at};
  while (!next.empty()) {
    const std::size_t i = next.back();
    next.pop_back();
    if (i >= code.size() || reached[i]) continue;
    reached[i] = true;
    const Instruction& instruction = code[i];
    const bool jumps = instruction.kind == InstructionKind::Branch || instruction.kind == InstructionKind::Jump;
    if (jumps && !std::binary_search(spent.begin(), spent.end(), i)) next.push_back(instruction.target);
    if (instruction.kind != InstructionKind::Jump) next.push_back(i + 1);
    later.arrives = later.arrives || instruction.kind == InstructionKind::ControlBarrier;
    if (!accesses_memory(instruction)) continue;
    const Variable& variable = test_.variables[instruction.variable];
    const explore::LaterAccess access{locations_of(variable), static_cast<ReferenceId>(instruction.variable),
                                      instruction.kind != InstructionKind::Load, instruction.operation.is_non_private(),
                                      instruction.operation.tags};
    if (std::find(later.accesses.begin(), later.accesses.end(), access) == later.accesses.end())
      later.accesses.push_back(access);
  }
  return later;
}

}  // namespace heddle::litmus
