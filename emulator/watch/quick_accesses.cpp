#include "emulator/watch/quick_accesses.h"

namespace heddle::emulation {
namespace {

class Nothing final : public QuickAccesses {
 public:
  Answer read(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*) override { return {}; }
  bool write(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*,
             std::uint32_t) override {
    return false;
  }
  Answer read_any(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*) override {
    return {};
  }
  bool write_any(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*,
                 std::uint32_t) override {
    return false;
  }
  Answer calculate(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*,
                   Calculation) override {
    return {};
  }
  bool update(AgentId, const Binding&, std::uint64_t, InstructionCode, const char*, const char*, Modify,
              void*) override {
    return false;
  }
  void learn(const Binding&, InstructionCode, const char*, const char*) override {}
};

}  // namespace

QuickAccesses& QuickAccesses::none() {
  static Nothing nothing_is_quick;
  return nothing_is_quick;
}

}  // namespace heddle::emulation

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

emulation::QuickAccesses::Answer DetectedAccesses::read_any(AgentId agent, const Binding& binding,
                                                            std::uint64_t offset_bytes, InstructionCode code,
                                                            const char* file, const char* function) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  if (site == race::kNoSite || !emulation::is_initialized(binding, offset_bytes, code.size_bytes())) return {};
  return Answer(read_at(agent, binding, locations(binding, offset_bytes, code.size_bytes()), site));
}

bool DetectedAccesses::write_any(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                 InstructionCode code, const char* file, const char* function, std::uint32_t bits) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  if (site == race::kNoSite) return false;
  write_at(agent, binding, locations(binding, offset_bytes, code.size_bytes()), site, bits);
  return true;
}

Operation DetectedAccesses::record(AgentId agent, const Binding& binding, const Locations& bytes,
                                   race::SiteId site) const {
  Operation operation = detector_.site(site).operation;
  operation.agent = agent;
  operation.reference = binding.reference;
  operation.locations = bytes;
  return operation;
}

}  // namespace heddle::watch
