#include "tests/litmus/vulkan/tag_vocabularies.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "emulator/model/tags.h"

namespace heddle::litmus {
namespace {

// The classes of accesses in tests, in the order of `sc0` to `sc3`.
constexpr std::array kClasses = {MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory,
                                 MemorySemantics::ImageMemory, MemorySemantics::OutputMemory};

bool orders_memory(const Operation& op) {
  return acquires(op.semantics) || releases(op.semantics);
}

model::Tag class_tag(std::size_t index) {
  return {"sync-as", std::to_string(index)};
}

TagSetId class_tags(MemorySemantics classes) {
  model::TagSet tags;
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    if (has(classes, kClasses[i])) tags.add(class_tag(i));
  return model::intern(tags);
}

Operation said_by_privacy(Operation op) {
  const bool nonprivate = op.is_access() ? op.is_non_private() : orders_memory(op);
  if (!op.is_access() && !nonprivate) return op;
  model::TagSet tags;
  tags.add({"vulkan", nonprivate ? "nonprivate" : "private"});
  op.tags = model::intern(tags);
  if (op.is_access() && !op.atomic) op.operands |= MemoryOperands::NonPrivatePointer;
  return op;
}

Operation said_by_classes(Operation op) {
  if (orders_memory(op)) {
    op.tags = class_tags(storage_classes(op.semantics));
    for (const MemorySemantics one : kClasses) op.semantics |= one;
  } else if (op.is_access()) {
    op.tags = class_tags(semantic_of(op.storage_class));
  }
  return op;
}

std::set<MemorySemantics> masks_of(const AgentOperations& agents) {
  std::set<MemorySemantics> masks;
  for (const auto& agent : agents)
    for (const Operation& op : agent)
      if (orders_memory(op)) masks.insert(storage_classes(op.semantics));
  return masks;
}

/// Natively a private access happens before, and after, device-domain operations by way of a release that it does not
/// fit in tags.
bool has_device_operations(const AgentOperations& agents) {
  return std::any_of(agents.begin(), agents.end(), [](const auto& agent) {
    return std::any_of(agent.begin(), agent.end(), [](const Operation& op) { return op.is_domain_operation(); });
  });
}

/// Private accesses of one agent: whether to one location there are some through two references, and whether there are
/// several at all.
bool privacy_coincides(const AgentOperations& agents) {
  if (has_device_operations(agents)) return false;
  const bool one_mask = masks_of(agents).size() <= 1;
  for (const auto& agent : agents) {
    for (std::size_t i = 0; i < agent.size(); ++i) {
      for (std::size_t k = 0; k < agent.size(); ++k) {
        const Operation& a = agent[i];
        const Operation& b = agent[k];
        if (!a.is_access() || !b.is_access() || a.is_non_private() || b.is_non_private()) continue;
        if (!a.locations.overlaps(b.locations)) continue;
        if (a.reference != b.reference) return false;
        if (i != k && !one_mask) return false;
      }
    }
  }
  return true;
}

bool one_class_each(const AgentOperations& agents) {
  std::vector<Operation> all;
  for (const auto& agent : agents)
    for (const Operation& op : agent)
      if (op.is_access()) all.push_back(op);
  for (const Operation& a : all)
    for (const Operation& b : all)
      if (a.locations.overlaps(b.locations) && semantic_of(a.storage_class) != semantic_of(b.storage_class))
        return false;
  return true;
}

/// Each mask has the class of each atomic of its agent, whether or not the operation goes with that.
bool masks_have_their_atomics(const AgentOperations& agents) {
  for (const auto& agent : agents) {
    for (const Operation& op : agent) {
      if (!orders_memory(op)) continue;
      if (op.atomic && !has(op.semantics, semantic_of(op.storage_class))) return false;
      if (op.atomic) continue;
      for (const Operation& atomic : agent)
        if (atomic.atomic && !has(op.semantics, semantic_of(atomic.storage_class))) return false;
    }
  }
  return true;
}

bool classes_coincide(const AgentOperations& agents) {
  const std::set<MemorySemantics> masks = masks_of(agents);
  for (const MemorySemantics a : masks)
    for (const MemorySemantics b : masks)
      if (a != b && (a & b) != MemorySemantics::None) return false;
  const auto is_ordering_barrier = [](const Operation& op) {
    return op.kind == OperationKind::ControlBarrier && orders_memory(op);
  };
  for (const auto& agent : agents)
    if (masks.size() > 1 && std::any_of(agent.begin(), agent.end(), is_ordering_barrier)) return false;
  return one_class_each(agents) && masks_have_their_atomics(agents);
}

}  // namespace

Operation said_in_tags(const Operation& operation, Vocabulary vocabulary) {
  return vocabulary == Vocabulary::Private ? said_by_privacy(operation) : said_by_classes(operation);
}

Test said_in_tags(Test test, Vocabulary vocabulary) {
  for (Thread& thread : test.threads)
    for (Instruction& instruction : thread.code)
      instruction.operation = said_in_tags(instruction.operation, vocabulary);
  return test;
}

explore::ScriptedProgram said_in_tags(explore::ScriptedProgram program, Vocabulary vocabulary) {
  for (explore::Script& script : program.scripts)
    for (explore::Line& line : script) line.operation = said_in_tags(line.operation, vocabulary);
  return program;
}

AgentOperations operations_of(const Test& test) {
  AgentOperations all;
  for (const Thread& thread : test.threads) {
    all.emplace_back();
    for (const Instruction& instruction : thread.code) {
      const InstructionKind kind = instruction.kind;
      if (kind > InstructionKind::DeviceOperation) continue;
      Operation op = instruction.operation;
      if (kind <= InstructionKind::ReadModifyWrite) {
        // As where it is executed.
        op.reference = static_cast<ReferenceId>(instruction.variable);
        op.locations = {static_cast<AllocationId>(test.variables[instruction.variable].location), 0, 1};
      }
      all.back().push_back(op);
    }
  }
  return all;
}

AgentOperations operations_of(const explore::ScriptedProgram& program) {
  AgentOperations all;
  for (const explore::Script& script : program.scripts) {
    all.emplace_back();
    for (const explore::Line& line : script) all.back().push_back(line.operation);
  }
  return all;
}

bool has_to_coincide(const AgentOperations& agents, Vocabulary vocabulary) {
  return vocabulary == Vocabulary::Private ? privacy_coincides(agents) : classes_coincide(agents);
}

}  // namespace heddle::litmus
