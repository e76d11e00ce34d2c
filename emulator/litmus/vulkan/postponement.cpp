#include "emulator/litmus/vulkan/postponement.h"

#include "emulator/model/synchronizing.h"

namespace heddle::litmus {
namespace {

bool is_late(const Operand& operand, const LateRegisters& late) {
  return operand.is_register && late[operand.index];
}

}  // namespace

bool needs_late_values(const Thread& thread, std::size_t at, const LateRegisters& late) {
  const Instruction& instruction = thread.code[at];
  const bool operands = is_late(instruction.left, late) || is_late(instruction.right, late);
  switch (instruction.kind) {
    case InstructionKind::Load:
    case InstructionKind::ReadModifyWrite:
      // A division by zero ends the thread.
      return instruction.cooperative || late[instruction.destination] || operands ||
             instruction.arithmetic == Arithmetic::Divide;
    case InstructionKind::Store:
      return instruction.cooperative || operands;
    case InstructionKind::Compute:
      return late[instruction.destination] || operands || instruction.arithmetic == Arithmetic::Divide;
    case InstructionKind::Branch:
      return operands || instruction.target <= at;
    case InstructionKind::MemoryBarrier:
    case InstructionKind::ControlBarrier:
    case InstructionKind::DeviceOperation:
    case InstructionKind::Interlock:
    case InstructionKind::Free:
    case InstructionKind::HostCall:
    case InstructionKind::Jump:
    case InstructionKind::Label:
      return true;
  }
  return true;
}

std::vector<bool> postponable_loads(const Test& test, const Thread& thread) {
  std::vector<bool> out(thread.code.size(), false);
  for (std::size_t load = 0; load < thread.code.size(); ++load) {
    const Instruction& first = thread.code[load];
    if (!first.traits().only_reads() || first.cooperative || model::synchronizes(first.operation)) continue;
    LateRegisters late(thread.registers.size(), false);
    late[first.destination] = true;
    for (std::size_t at = load + 1; at < thread.code.size(); ++at) {
      const Instruction& next = thread.code[at];
      if (needs_late_values(thread, at, late)) break;
      if (!next.traits().accesses()) continue;
      if (model::synchronizes_with_earlier(next.operation, first.operation) ||
          test.variables[next.variable].location == test.variables[first.variable].location)
        break;
      if (next.traits().only_reads()) continue;
      out[load] = true;
      break;
    }
  }
  return out;
}

}  // namespace heddle::litmus
