#include "emulator/queues/ear.h"

#include <algorithm>

namespace heddle::queues {

void KernelEar::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                          trace::Value written, std::span<const trace::Source>) {
  if (!kernel_) return;
  operation_ = index;
  if (operation.is_memory_barrier()) hear_barrier(operation);
  if (!operation.is_access()) return;
  if (operation.atomic && reaches_commands(operation.scope)) note_meeting(operation);
  hear(operation, read, written);
  if (until_pause_ != 0 && --until_pause_ == 0) is_pause_due_ = true;
}

void KernelEar::note_meeting(const Operation& operation) {
  kernel_->meets_others = true;
  kernel_->publishes = kernel_->publishes || releases(operation.semantics);
}

void KernelEar::hear_barrier(const Operation& barrier) {
  if (!reaches_commands(barrier.scope)) return;
  note_meeting(barrier);
  finder_.has_barrier(kernel_->node, releases(barrier.semantics), acquires(barrier.semantics));
}

void KernelEar::hear(const Operation& operation, trace::Value read, trace::Value written) {
  auto& memories = kernel_->memories;
  auto memory = memories.find(operation.locations.allocation);
  if (memory == memories.end()) {
    // What no argument names is accessed by its address.
    const Domains::Memory* const other = domains_.find(operation.locations.allocation);
    if (!other) return;
    memory = memories.emplace(operation.locations.allocation, Memory{other, {}}).first;
  }
  if (operation.reads()) hear(memory->second, operation, false, read);
  if (operation.writes()) hear(memory->second, operation, true, written);
}

void KernelEar::hear(Memory& memory, const Operation& operation, bool writes, trace::Value value) {
  Heard heard;
  Access& access = heard.access;
  access.node = kernel_->node;
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
  heard.operation = operation_;
  heard.call = writes ? "write" : "read";
  heard.invocation = static_cast<std::uint32_t>(operation.agent) - kernel_->first_agent;
  const std::uint64_t begin = operation.locations.offset_bytes;
  const std::uint64_t end = begin + operation.locations.size_bytes;
  for (std::uint64_t word = begin / kWordBytes; word * kWordBytes < end; ++word) {
    const std::uint64_t first = std::max(begin, word * kWordBytes);
    const std::uint64_t last = std::min(end, (word + 1) * kWordBytes);
    access.offset = word * kWordBytes;
    heard.bytes = static_cast<std::uint8_t>((0xfu >> (kWordBytes - (last - first))) << (first - word * kWordBytes));
    heard.value = static_cast<std::uint32_t>(value >> 8 * (first - begin));
    finder_.hear(heard);
    Written& of = memory.written;
    if (!writes) {
      (of.words.count(word) == 0 ? of.read : of.read_of_own).insert(word);
      continue;
    }
    of.words[word] = static_cast<std::uint8_t>(of.words[word] | heard.bytes);
    of.by[word] = access;
  }
}

}  // namespace heddle::queues
