#include "emulator/queues/ear.h"

#include <algorithm>

namespace heddle::queues {

void KernelEar::begin(NodeId node, std::uint32_t first_agent, const std::vector<Domains::Presented>& memories) {
  node_ = node;
  first_agent_ = first_agent;
  memories_.clear();
  for (const Domains::Presented& one : memories) memories_[one.memory->owner->id].of = one.memory;
}

void KernelEar::operation(trace::OperationIndex, const Operation& operation, trace::Value read, trace::Value written,
                          std::span<const trace::Source>) {
  if (node_ == kNoNode) return;
  if (operation.is_memory_barrier() && reaches_commands(operation.scope))
    finder_.has_barrier(node_, releases(operation.semantics), acquires(operation.semantics));
  if (!operation.is_access()) return;
  auto memory = memories_.find(operation.locations.allocation);
  if (memory == memories_.end()) {
    // What no argument names is accessed by its address.
    const Domains::Memory* const other = domains_.find(operation.locations.allocation);
    if (!other) return;
    memory = memories_.emplace(operation.locations.allocation, Memory{other, {}}).first;
  }
  if (operation.reads()) hear(memory->second, operation, false, read);
  if (operation.writes()) hear(memory->second, operation, true, written);
}

void KernelEar::hear(Memory& memory, const Operation& operation, bool writes, trace::Value value) {
  Heard heard;
  Access& access = heard.access;
  access.node = node_;
  access.stage = model::Stages::Compute;
  access.kind = writes                                             ? model::Accesses::StorageWrite
                : operation.storage_class == StorageClass::Uniform ? model::Accesses::UniformRead
                                                                   : model::Accesses::StorageRead;
  access.reference = operation.reference;
  access.allocation = operation.locations.allocation;
  access.coherent = memory.of->coherent;
  access.exclusive = memory.of->exclusive;
  access.atomic = operation.atomic;
  access.scope = operation.scope;
  heard.synchronizes = operation.atomic && (writes ? releases(operation.semantics) : acquires(operation.semantics));
  access.writes = writes;
  heard.where = operation.where;
  heard.call = writes ? "write" : "read";
  heard.invocation = static_cast<std::uint32_t>(operation.agent) - first_agent_;
  const std::uint64_t begin = operation.locations.offset_bytes;
  const std::uint64_t end = begin + operation.locations.size_bytes;
  for (std::uint64_t word = begin / kWordBytes; word * kWordBytes < end; ++word) {
    const std::uint64_t first = std::max(begin, word * kWordBytes);
    const std::uint64_t last = std::min(end, (word + 1) * kWordBytes);
    access.offset = word * kWordBytes;
    heard.bytes = static_cast<std::uint8_t>((0xfu >> (kWordBytes - (last - first))) << (first - word * kWordBytes));
    heard.value = static_cast<std::uint32_t>(value >> 8 * (first - begin));
    finder_.hear(heard);
    if (!writes) continue;
    memory.written.words[word] = static_cast<std::uint8_t>(memory.written.words[word] | heard.bytes);
    memory.written.by[word] = access;
  }
}

}  // namespace heddle::queues
