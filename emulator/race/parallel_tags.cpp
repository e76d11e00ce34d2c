#include "emulator/race/parallel_tags.h"

namespace heddle::race {

void ParallelTags::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                std::span<const std::uint32_t> subgroups) {
  const std::lock_guard lock(mutex_);
  tagged_.agents_begin(first, count, place, subgroups);
}

void ParallelTags::agents_end(AgentId first, std::uint32_t count) {
  const std::lock_guard lock(mutex_);
  tagged_.agents_end(first, count);
}

void ParallelTags::access(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  const model::OperationIndex index = ++told_;
  sources_.clear();
  if (operation.atomic && operation.reads()) writers_.find_sources(operation.locations, sources_);
  tagged_.operation(index, operation, 0, 0, sources_);
  if (!operation.writes()) return;
  if (operation.atomic) {
    tagged_.placed(index);
    writers_.watch(operation.locations);
  }
  if (!writers_.empty()) writers_.note(operation.locations, index);
}

void ParallelTags::barrier(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  tagged_.operation(++told_, operation, 0, 0, {});
}

void ParallelTags::meet(std::span<const Operation> barriers) {
  const std::lock_guard lock(mutex_);
  const model::OperationIndex before = told_;
  for (const Operation& barrier : barriers) tagged_.operation(++told_, barrier, 0, 0, {});
  for (std::uint32_t i = 0; i < barriers.size(); ++i) tagged_.passes(before + 1 + i, {});
}

void ParallelTags::meet(const Operation& barrier, std::uint32_t count) {
  const std::lock_guard lock(mutex_);
  tagged_.meets(told_ + 1, barrier, count);
  told_ += count;
}

void ParallelTags::forget(AllocationId allocation) {
  const std::lock_guard lock(mutex_);
  tagged_.forget(allocation);
}

void ParallelTags::dependency(bool memory) {
  tagged_.dependency(memory);
  if (memory) writers_.clear();
}

void ParallelTags::replace(AllocationId allocation) {
  sites_.replace(allocation);
  tagged_.forget(allocation);
}

}  // namespace heddle::race
