#include "emulator/run/recorded_accesses.h"

#include <cstring>

namespace heddle::run {

using emulation::Access;
using emulation::Agent;
using emulation::Binding;
using emulation::Calculation;
using emulation::InstructionCode;
using emulation::Modify;

namespace {

/// What all kinds of accesses have in common.
[[gnu::always_inline]] inline Access access_of(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                               InstructionCode code, const char* file, const char* function) {
  Access access;
  access.binding = &binding;
  access.alignment_bytes = code.size_bytes();
  Operation& operation = access.operation;
  operation.kind = code.kind();
  agent.sign(operation);
  operation.storage_class = binding.storage_class;
  operation.reference = binding.reference;
  operation.locations = {binding.allocation->id, binding.offset_bytes + offset_bytes, code.size_bytes()};
  // Part by part: what was stored in parts and is loaded as a whole is waited for.
  operation.where.file = file;
  operation.where.function = function;
  operation.where.line = code.line();
  return access;
}

void qualify(Operation& operation, InstructionCode code) {
  const emulation::Qualified q = emulation::qualified(code.qualifiers(), code.kind() == OperationKind::Write);
  operation.operands = q.operands;
  operation.available_scope = q.available_scope;
  operation.visible_scope = q.visible_scope;
}

struct Calculated {
  Calculation what;
  std::uint32_t old = 0;

  static bool modify(void* self, const void* old, void* fresh) {
    auto& own = *static_cast<Calculated*>(self);
    std::memcpy(&own.old, old, sizeof own.old);
    const std::uint32_t made = own.what.of(own.old);
    std::memcpy(fresh, &made, sizeof made);
    return true;
  }
};

}  // namespace

std::uint32_t RecordedAccesses::read(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                     InstructionCode code, const char* file, const char* function) {
  Access access = access_of(agent, binding, offset_bytes, code, file, function);
  qualify(access.operation, code);
  std::uint32_t bits = 0;
  read(agent, access, &bits);
  return bits;
}

void RecordedAccesses::write(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                             InstructionCode code, const char* file, const char* function, std::uint32_t bits) {
  Access access = access_of(agent, binding, offset_bytes, code, file, function);
  qualify(access.operation, code);
  write(agent, access, &bits);
}

std::uint32_t RecordedAccesses::calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                          InstructionCode code, const char* file, const char* function,
                                          Calculation what) {
  Calculated calculated{what};
  update(agent, binding, offset_bytes, code, file, function, code.semantics(), Calculated::modify, &calculated);
  return calculated.old;
}

void RecordedAccesses::update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                              InstructionCode code, const char* file, const char* function, MemorySemantics unequal,
                              Modify modify, void* context) {
  Access access = access_of(agent, binding, offset_bytes, code, file, function);
  access.operation.atomic = true;
  access.operation.scope = code.scope();
  access.operation.semantics = code.semantics();
  update(agent, access, unequal, modify, context);
}

}  // namespace heddle::run
