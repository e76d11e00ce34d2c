#include "emulator/advice/operation_text.h"

#include <heddle/semantics.h>

#include <array>
#include <string_view>
#include <utility>

#include "emulator/model/tags.h"

namespace heddle::advice {
namespace {

constexpr std::array kBits = {
    std::pair(MemorySemantics::UniformMemory, "UniformMemory"),
    std::pair(MemorySemantics::SubgroupMemory, "SubgroupMemory"),
    std::pair(MemorySemantics::WorkgroupMemory, "WorkgroupMemory"),
    std::pair(MemorySemantics::CrossWorkgroupMemory, "CrossWorkgroupMemory"),
    std::pair(MemorySemantics::AtomicCounterMemory, "AtomicCounterMemory"),
    std::pair(MemorySemantics::ImageMemory, "ImageMemory"),
    std::pair(MemorySemantics::OutputMemory, "OutputMemory"),
    std::pair(MemorySemantics::MakeAvailable, "MakeAvailable"),
    std::pair(MemorySemantics::MakeVisible, "MakeVisible"),
    std::pair(MemorySemantics::Volatile, "Volatile"),
};

constexpr std::array kNames = {
    std::pair(kWorkgroupBarrier, "kWorkgroupBarrier"),
    std::pair(kBufferBarrier, "kBufferBarrier"),
    std::pair(kReleaseBuffers, "kReleaseBuffers"),
    std::pair(kAcquireBuffers, "kAcquireBuffers"),
};

std::string order_of(MemorySemantics semantics) {
  if (acquires(semantics) && releases(semantics)) return "AcquireRelease";
  if (acquires(semantics)) return "Acquire";
  return releases(semantics) ? "Release" : "Relaxed";
}

}  // namespace

std::string text_of(MemorySemantics semantics, bool with_name) {
  std::string text = order_of(semantics);
  for (const auto& [bit, bit_name] : kBits)
    if (has(semantics, bit)) text += std::string(" | ") + bit_name;
  for (const auto& [known, known_name] : kNames)
    if (with_name && known == semantics) text += std::string(" (") + known_name + ")";
  return text;
}

std::string kind_of(const Operation& op) {
  std::string what;
  switch (op.kind) {
    case OperationKind::Read:
      what = "read";
      break;
    case OperationKind::Write:
      what = "write";
      break;
    case OperationKind::ReadModifyWrite:
      what = "read-modify-write";
      break;
    case OperationKind::MemoryBarrier:
      return "memory barrier";
    case OperationKind::ControlBarrier:
      return "control barrier";
    default:
      return "operation";
  }
  return op.atomic ? "atomic " + what : what;
}

std::string describe(const Operation& op) {
  const std::string tags = op.tags == TagSetId::Empty ? "" : " # " + model::text(model::tags_of(op.tags));
  if (op.is_access() && !op.atomic) return (op.is_non_private() ? "" : "private ") + kind_of(op) + tags;
  return kind_of(op) + " (" + std::string(name_of(op.scope)) + ", " + order_of(op.semantics) + ")" + tags;
}

std::string line_of(const Operation& op, const char* file) {
  const std::string_view path = op.where.file;
  const std::string line = std::to_string(op.where.line);
  if (path == file) return "line " + line;
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + line;
}

bool in_one_line(const Operation& a, const Operation& b) {
  return a.where.line == b.where.line && std::string_view(a.where.file) == b.where.file;
}

}  // namespace heddle::advice
