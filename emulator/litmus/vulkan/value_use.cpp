#include "emulator/litmus/vulkan/value_use.h"

#include <algorithm>
#include <set>

namespace heddle::litmus {
namespace {

using explore::ValueUse;
using Registers = std::vector<bool>;

void add(const Operand& operand, Registers& out) {
  if (operand.is_register) out[operand.index] = true;
}

void add_observed(const Assertion& assertion, const Test& test, std::uint32_t thread, Registers& out) {
  for (const Assertion& operand : assertion.operands) add_observed(operand, test, thread, out);
  for (const Assertion::Term& term : {assertion.left, assertion.right}) {
    if (assertion.kind != Assertion::Kind::Compare || !term.observed) continue;
    const Observable& named = test.observables[term.observable];
    if (named.kind == Observable::Kind::Register && named.thread == thread) out[named.index] = true;
  }
}

/// Whether it makes the value of a register from others.
bool computes(const Instruction& instruction) {
  return instruction.traits().sets_register && instruction.traits().by == ExecutedBy::Thread;
}

/// Adds the registers from which one of `out` is computed, anywhere in the code.
void add_sources(const Thread& thread, Registers& out) {
  for (bool news = true; news;) {
    const Registers before = out;
    for (const Instruction& instruction : thread.code) {
      if (!computes(instruction) || !out[instruction.destination]) continue;
      add(instruction.left, out);
      add(instruction.right, out);
    }
    news = out != before;
  }
}

/// Registers that may decide what the thread does or writes.
Registers deciding(const Test& test, std::uint32_t index) {
  const Thread& thread = test.threads[index];
  Registers out(thread.registers.size(), false);
  if (test.filter) add_observed(*test.filter, test, index, out);
  for (const Instruction& instruction : thread.code) {
    // A division by zero ends the thread.
    if (computes(instruction) && instruction.arithmetic != Arithmetic::Divide) continue;
    add(instruction.left, out);
    add(instruction.right, out);
    add(instruction.barrier.resource, out);
    if (instruction.barrier.quorum) add(*instruction.barrier.quorum, out);
  }
  add_sources(thread, out);
  return out;
}

// Whether an iteration changed anything depends on what it loaded.
bool is_in_a_loop(const Thread& thread, std::size_t at) {
  for (std::size_t jump = at; jump < thread.code.size(); ++jump) {
    const Instruction& instruction = thread.code[jump];
    if (instruction.traits().jumps && instruction.target <= at) return true;
  }
  return false;
}

bool is_plain(const Instruction& load) {
  return !load.operation.atomic && !load.cooperative;
}

bool makes_visible(const Instruction& load) {
  return has(load.operation.operands, MemoryOperands::MakePointerVisible);
}

struct AtomicAccess {
  const model::Place* place;
  const Instruction* instruction;
};

bool are_mutually_ordered(const AtomicAccess& a, const AtomicAccess& b) {
  const Scope of_a = a.instruction->operation.scope;
  const Scope of_b = b.instruction->operation.scope;
  return a.instruction->variable == b.instruction->variable &&
         (a.place == b.place || (same_instance(*a.place, *b.place, of_a) && same_instance(*a.place, *b.place, of_b)));
}

}  // namespace

std::vector<ValueUse> value_uses(const Test& test, std::uint32_t index) {
  const Thread& thread = test.threads[index];
  const Registers decide = deciding(test, index);
  Registers shown(thread.registers.size(), false);
  if (test.assertion) add_observed(*test.assertion, test, index, shown);
  add_sources(thread, shown);
  std::vector<ValueUse> out(thread.code.size(), ValueUse::Decides);
  for (std::size_t at = 0; at < thread.code.size(); ++at) {
    const Instruction& load = thread.code[at];
    if (!load.traits().only_reads() || !is_plain(load) || decide[load.destination] || is_in_a_loop(thread, at))
      continue;
    out[at] = shown[load.destination] || makes_visible(load) ? ValueUse::Shown : ValueUse::Unused;
  }
  return out;
}

std::vector<bool> mutually_ordered_locations(const Test& test, std::span<const model::Place> places) {
  std::vector<bool> out(test.locations, true);
  std::vector<std::vector<AtomicAccess>> accesses(test.locations);
  for (std::size_t thread = 0; thread < test.threads.size(); ++thread) {
    for (const Instruction& instruction : test.threads[thread].code) {
      if (!instruction.traits().has_variable) continue;
      const std::uint32_t location = test.variables[instruction.variable].location;
      if (!instruction.operation.atomic) out[location] = false;
      const AtomicAccess access{&places[thread], &instruction};
      for (const AtomicAccess& other : accesses[location])
        if (!are_mutually_ordered(access, other)) out[location] = false;
      accesses[location].push_back(access);
    }
  }
  return out;
}

}  // namespace heddle::litmus
