#include "emulator/spirv/run/words.h"

#include <heddle/edit.h>

#include <algorithm>
#include <optional>
#include <string>

namespace heddle::spirv {
namespace {

constexpr MemorySemantics kOrders =
    MemorySemantics::Acquire | MemorySemantics::Release | MemorySemantics::AcquireRelease;

std::string line_of(const Edit& edit) {
  return "line " + std::to_string(edit.line);
}

std::string barrier_words(const Edit& edit) {
  const bool waits = edit.kind == EditKind::PutControlBarrier;
  const bool of_subgroup = waits && edit.execution_scope == Scope::Subgroup;
  const bool buffers = has(edit.semantics, MemorySemantics::UniformMemory);
  const bool shared = has(edit.semantics, MemorySemantics::WorkgroupMemory);
  const char* memory = buffers && shared ? "memoryBarrier()"
                       : buffers         ? "memoryBarrierBuffer()"
                                         : "memoryBarrierShared()";
  std::string out = "put ";
  if (!waits || buffers) out += memory;
  if (waits && buffers) out += "; ";
  if (waits) out += of_subgroup ? "subgroupBarrier()" : "barrier()";
  return out + (edit.behind ? " behind " : " before ") + line_of(edit);
}

/// One edit in the words of GLSL: nothing if it cannot be said, and empty if a declaration says it already.
std::optional<std::string> glsl_words(const Edit& edit, const std::string& object) {
  switch (edit.kind) {
    case EditKind::AddOperands:
      return "declare " + object + " coherent";
    case EditKind::MakeAtomic:
      if (edit.of == EditedKind::Read) return "make the read in " + line_of(edit) + " atomic (atomicOr with 0)";
      return "make the write in " + line_of(edit) + " atomic (atomicExchange)";
    case EditKind::PutMemoryBarrier:
    case EditKind::PutControlBarrier:
      return barrier_words(edit);
    case EditKind::JoinUpdate:
      if (edit.of == EditedKind::Write) return "";
      return "make the read in " + line_of(edit) + " and the write that follows it one atomic, such as atomicAdd, " +
             "atomicMax or atomicCompSwap";
    case EditKind::AddSemantics:
      // A coherent access is made available and visible by itself.
      if ((edit.semantics & kOrders) == MemorySemantics{}) return "";
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> glsl_words(const CandidateChange& change, const std::string& object) {
  std::vector<std::string> parts;
  for (const Edit& edit : change.edits) {
    const std::optional<std::string> words = glsl_words(edit, object);
    if (!words) return std::nullopt;
    if (!words->empty() && std::find(parts.begin(), parts.end(), *words) == parts.end()) parts.push_back(*words);
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", and ") + part;
  return out.empty() ? std::nullopt : std::optional(out);
}

/// Without the words of C++ that stand beside SPIR-V's.
std::string spirv_words(std::string text) {
  const std::string of_cpp = ".non_private(), ";
  for (std::size_t at = text.find(of_cpp); at != std::string::npos; at = text.find(of_cpp))
    text.erase(at, of_cpp.size());
  return text;
}

const char* glsl_scope(Scope scope) {
  switch (scope) {
    case Scope::Workgroup:
      return "gl_ScopeWorkgroup";
    case Scope::Subgroup:
      return "gl_ScopeSubgroup";
    default:
      return "gl_ScopeDevice";
  }
}

/// What stands behind the scopes of a call with arguments.
std::string glsl_arguments(MemorySemantics semantics) {
  std::string storage;
  const auto add = [&](MemorySemantics bit, const char* name) {
    if (has(semantics, bit)) storage += std::string(storage.empty() ? "" : " | ") + name;
  };
  add(MemorySemantics::UniformMemory, "gl_StorageSemanticsBuffer");
  add(MemorySemantics::WorkgroupMemory, "gl_StorageSemanticsShared");
  add(MemorySemantics::ImageMemory, "gl_StorageSemanticsImage");
  const char* order = acquires(semantics) && releases(semantics) ? "gl_SemanticsAcquireRelease"
                      : acquires(semantics)                      ? "gl_SemanticsAcquire"
                      : releases(semantics)                      ? "gl_SemanticsRelease"
                                                                 : "gl_SemanticsRelaxed";
  return ", " + (storage.empty() ? std::string("0") : storage) + ", " + order;
}

/// The call of a memory barrier that has no arguments, if there is one.
std::optional<std::string> plain_memory_barrier(const Operation& op) {
  if (!acquires(op.semantics) || !releases(op.semantics)) return std::nullopt;
  const bool buffers = has(op.semantics, MemorySemantics::UniformMemory);
  const bool shared = has(op.semantics, MemorySemantics::WorkgroupMemory);
  const bool images = has(op.semantics, MemorySemantics::ImageMemory);
  if (op.scope == Scope::Workgroup && buffers && shared && images) return "groupMemoryBarrier()";
  if (op.scope != Scope::QueueFamily && op.scope != Scope::Device) return std::nullopt;
  if (buffers && shared && images) return "memoryBarrier()";
  if (buffers && !shared && !images) return "memoryBarrierBuffer()";
  if (shared && !buffers && !images) return "memoryBarrierShared()";
  if (images && !buffers && !shared) return "memoryBarrierImage()";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> glsl_call(const Operation& op) {
  if (op.kind == OperationKind::MemoryBarrier) {
    if (auto plain = plain_memory_barrier(op)) return plain;
    return std::string("memoryBarrier(") + glsl_scope(op.scope) + glsl_arguments(op.semantics) + ")";
  }
  if (op.kind != OperationKind::ControlBarrier) return std::nullopt;
  const bool usual = op.execution_scope == Scope::Workgroup && op.scope == Scope::Workgroup &&
                     op.semantics == (MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory);
  if (usual) return "barrier()";
  return std::string("controlBarrier(") + glsl_scope(op.execution_scope) + ", " + glsl_scope(op.scope) +
         glsl_arguments(op.semantics) + ")";
}

void reword_changes(DataRace& race, bool glsl) {
  std::vector<std::string> out;
  for (const std::string& text : race.changes) {
    const auto change = std::find_if(race.candidates.begin(), race.candidates.end(),
                                     [&](const CandidateChange& each) { return each.text == text; });
    std::optional<std::string> words = spirv_words(text);
    if (glsl) words = change != race.candidates.end() ? glsl_words(*change, race.object) : std::nullopt;
    if (words && std::find(out.begin(), out.end(), *words) == out.end()) out.push_back(*words);
  }
  if (out.empty() && !race.changes.empty())
    race.no_change = "what would order the two cannot be said in this module's memory model";
  race.changes = std::move(out);
  // They are edits of C++ kernels.
  race.candidates.clear();
}

}  // namespace heddle::spirv
