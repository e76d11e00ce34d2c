#include "emulator/litmus/vulkan/liveness.h"

namespace heddle::litmus {
namespace {

using Live = std::vector<bool>;

void use(const Operand& operand, Live& live) {
  if (operand.is_register) live[operand.index] = true;
}

/// What is live before `instruction` when `after` is live behind it.
Live before(const Instruction& instruction, Live after) {
  if (instruction.traits().sets_register) after[instruction.destination] = false;
  use(instruction.left, after);
  use(instruction.right, after);
  use(instruction.barrier.resource, after);
  if (instruction.barrier.quorum) use(*instruction.barrier.quorum, after);
  return after;
}

void merge(const Live& from, Live& into) {
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = into[i] || from[i];
}

}  // namespace

std::vector<std::vector<bool>> live_registers(const Thread& thread, const std::vector<bool>& observed) {
  const std::size_t size = thread.code.size();
  std::vector<Live> live(size + 1, Live(thread.registers.size(), false));
  live[size] = observed;
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = size; i-- > 0;) {
      const Instruction& instruction = thread.code[i];
      Live after(thread.registers.size(), false);
      if (instruction.traits().falls_through) merge(live[i + 1], after);
      if (instruction.traits().jumps) merge(live[instruction.target], after);
      Live now = before(instruction, std::move(after));
      changed = changed || now != live[i];
      live[i] = std::move(now);
    }
  }
  return live;
}

}  // namespace heddle::litmus
