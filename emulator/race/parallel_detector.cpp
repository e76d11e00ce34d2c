#include "emulator/race/parallel_detector.h"

#include <algorithm>

namespace heddle::race {

void History::forget_all() {
  shadow_.forget_all();
  released_.clear();
  writers_.clear();
}

DetectorThread::DetectorThread(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order,
                               SiteNumbers& sites, ParallelTags* tags)
    : detector_(options, order, sites), tags_(tags), nothing_(*order) {
  detector_.use(nothing_.shadow_, nothing_.released_);
}

void DetectorThread::agents_end(AgentId first, std::uint32_t count, History& workgroup_memory) {
  detector_.use(workgroup_memory.shadow_, workgroup_memory.released_);
  detector_.agents_end(first, count);
  if (tags_) tags_->agents_end(first, count);
  detector_.use(nothing_.shadow_, nothing_.released_);
}

model::OperationIndex DetectorThread::tell(const Operation& operation) {
  detector_.operation(++told_, operation, 0, 0, {});
  return told_;
}

void DetectorThread::access(const Operation& operation, History& history) {
  detector_.use(history.shadow_, history.released_);
  const model::OperationIndex index = std::max(told_, history.told_) + 1;
  told_ = history.told_ = index;
  sources_.clear();
  if (operation.atomic && operation.reads() && !history.writers_.empty())
    history.writers_.find_sources(operation.locations, sources_);
  detector_.operation(index, operation, 0, 0, sources_);
  if (tags_) [[unlikely]]
    tags_->access(operation);
  if (!operation.writes()) return;
  if (operation.atomic) {
    detector_.placed(index);
    if (history.released_.knows(operation)) history.writers_.watch(operation.locations);
  }
  if (!history.writers_.empty()) history.writers_.note(operation.locations, index);
}

void DetectorThread::meet(AgentId first, std::uint32_t count, const Operation& barrier) {
  Operation of_first = barrier;
  of_first.agent = first;
  detector_.meets(told_ + 1, of_first, count);
  told_ += count;
  if (tags_) tags_->meet(of_first, count);
}

void DetectorThread::meet(std::span<const Operation> barriers) {
  const model::OperationIndex before = told_;
  for (const Operation& barrier : barriers) tell(barrier);
  for (std::uint32_t i = 0; i < barriers.size(); ++i) detector_.passes(before + 1 + i, {});
  if (tags_) tags_->meet(barriers);
}

ParallelDetector::ParallelDetector(const KernelOptions& options, bool tags)
    : options_(options),
      order_(std::make_shared<KernelOrder::Shared>()),
      tags_(tags ? std::make_unique<ParallelTags>(options, sites_) : nullptr) {}

DetectorThread& ParallelDetector::add_thread() {
  return threads_.emplace_back(options_, order_, sites_, tags_.get());
}

// What it says to an order it says to all that share it; a second time it is nothing new.
void ParallelDetector::dependency(bool memory) {
  for (DetectorThread& thread : threads_) {
    thread.detector_.dependency(memory);
    if (!memory) break;
  }
  if (tags_) tags_->dependency(memory);
}

void ParallelDetector::replace(AllocationId allocation) {
  for (DetectorThread& thread : threads_) thread.detector_.replace(allocation);
  if (tags_) tags_->replace(allocation);
}

}  // namespace heddle::race
