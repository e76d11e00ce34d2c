#include "emulator/host/quick_accesses.h"

namespace heddle {

emulation::SiteNumber emulation::QuickAccesses::learn_site(const Instruction& instruction) {
  if (const SiteNumber known = site_of(instruction)) return known;
  const SiteNumber site = look_up(instruction);
  if (site == 0) return site;
  known_[place_of(instruction)] = {instruction.file, instruction.function,      instruction.meaning,
                                   instruction.line, instruction.storage_class, shape(instruction),
                                   site};
  return site;
}

namespace detail {

emulation::SiteNumber DetectedAccesses::look_up(const emulation::Instruction& instruction) {
  static_assert(race::kNoSite == 0);
  const OperationKind kind = instruction.kind;
  const SourceLocation where{instruction.file, instruction.function, instruction.line, 0};
  if (kind == OperationKind::ReadModifyWrite) {
    const auto atomic = emulation::atomic_meaning_of(instruction.meaning);
    return detector_.site_of(race::site_key(kind, instruction.storage_class, instruction.size_bytes,
                                            MemoryOperands::None, Scope::Invocation, Scope::Invocation,
                                            where, true, atomic.semantics, atomic.scope));
  }
  const emulation::Qualified q = emulation::qualified(emulation::qualifiers_of(instruction.meaning),
                                                      kind == OperationKind::Write);
  return detector_.site_of(race::site_key(kind, instruction.storage_class, instruction.size_bytes,
                                          q.operands, q.available_scope, q.visible_scope, where));
}

Operation DetectedAccesses::record(AgentId agent, const Binding& binding, const Locations& bytes,
                                   race::SiteId site) const {
  Operation operation = detector_.site(site).operation;
  operation.agent = agent;
  operation.reference = binding.reference;
  operation.locations = bytes;
  return operation;
}

}  // namespace detail
}  // namespace heddle
