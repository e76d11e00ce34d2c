#include "emulator/watch/quick_accesses.h"

#include "emulator/run/recorded_accesses.h"

namespace heddle::watch {

static_assert(race::kNoSite == 0);

void DetectedAccesses::learn(const Binding& binding, InstructionCode code, const char* file, const char* function) {
  Instruction& known = known_[place(binding.storage_class, code)];
  if (code == InstructionCode{} || known.is(binding.storage_class, code, file, function)) return;
  const race::SiteId site = look_up(binding, code, file, function);
  if (site == race::kNoSite || (callers_ && callers_->wants(site))) return;
  const bool quick = code.size_bytes() == race::kWordBytes && race::KernelDetector::is_quick(site);
  known = {file, function, code, binding.storage_class, site, quick ? site : race::kNoSite};
  if (quick && binding.storage_class == StorageClass::Workgroup && code.kind() != OperationKind::ReadModifyWrite)
    of_workgroup_[code.hash() % kKnown] = {code, file, function, detector_.quick_site(site)};
}

DetectedAccesses::~DetectedAccesses() {
  if (callers_) callers_->on_asked({});
}

void DetectedAccesses::leave_to(SiteCallers& callers) {
  callers_ = &callers;
  callers.on_asked([this](race::SiteId site) { unlearn(site); });
}

void DetectedAccesses::unlearn(race::SiteId site) {
  for (Instruction& known : known_) {
    if (known.site != site) continue;
    OfWorkgroup& of_workgroup = of_workgroup_[known.code.hash() % kKnown];
    if (of_workgroup.code == known.code) of_workgroup = {};
    known = {};
  }
}

race::SiteId DetectedAccesses::look_up(const Binding& binding, InstructionCode code, const char* file,
                                       const char* function) {
  const OperationKind kind = code.kind();
  const SourceLocation where{file, function, code.line(), 0};
  if (kind == OperationKind::ReadModifyWrite) {
    return detector_.site_of(race::site_key(kind, binding.storage_class, code.size_bytes(), MemoryOperands::None,
                                            Scope::Invocation, Scope::Invocation, where, true, code.semantics(),
                                            code.scope()));
  }
  const emulation::Qualified q = emulation::qualified(code.qualifiers(), kind == OperationKind::Write);
  return detector_.site_of(race::site_key(kind, binding.storage_class, code.size_bytes(), q.operands, q.available_scope,
                                          q.visible_scope, where));
}

// What is learnt is asked for again: an instruction that may not be known then still is not.
std::uint32_t DetectedAccesses::read_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                           InstructionCode code, const char* file, const char* function) {
  if (emulation::is_sound(binding, offset_bytes, code.size_bytes())) learn(binding, code, file, function);
  const race::SiteId site = learnt_site(binding.storage_class, code, file, function);
  return site == race::kNoSite ? recorded_.read(agent, binding, offset_bytes, code, file, function)
                               : read_known(agent, binding, locations(binding, offset_bytes, code.size_bytes()), site);
}

void DetectedAccesses::write_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                   InstructionCode code, const char* file, const char* function, std::uint32_t bits) {
  if (emulation::is_sound(binding, offset_bytes, code.size_bytes())) learn(binding, code, file, function);
  const race::SiteId site = learnt_site(binding.storage_class, code, file, function);
  if (site == race::kNoSite) return recorded_.write(agent, binding, offset_bytes, code, file, function, bits);
  write_known(agent, binding, locations(binding, offset_bytes, code.size_bytes()), site, bits);
}

std::uint32_t DetectedAccesses::calculate_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                                InstructionCode code, const char* file, const char* function,
                                                emulation::Calculation what) {
  const std::uint32_t old = recorded_.calculate(agent, binding, offset_bytes, code, file, function, what);
  learn(binding, code, file, function);
  return old;
}

void DetectedAccesses::update_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                    InstructionCode code, const char* file, const char* function,
                                    MemorySemantics unequal, emulation::Modify modify, void* context) {
  recorded_.update(agent, binding, offset_bytes, code, file, function, unequal, modify, context);
  learn(binding, code, file, function);
}

std::uint32_t DetectedAccesses::read_recorded(const Agent& agent, const Binding& binding, const Locations& bytes,
                                              race::SiteId site) {
  std::uint32_t bits = 0;
  recorded_.read(agent, {&binding, bytes.size_bytes, nullptr, record(agent, binding, bytes, site)}, &bits);
  return bits;
}

void DetectedAccesses::write_recorded(const Agent& agent, const Binding& binding, const Locations& bytes,
                                      race::SiteId site, std::uint32_t bits) {
  recorded_.write(agent, {&binding, bytes.size_bytes, nullptr, record(agent, binding, bytes, site)}, &bits);
}

Operation DetectedAccesses::record(const Agent& agent, const Binding& binding, const Locations& bytes,
                                   race::SiteId site) const {
  Operation operation = detector_.site(site).operation;
  agent.sign(operation);
  operation.reference = binding.reference;
  operation.locations = bytes;
  return operation;
}

}  // namespace heddle::watch
