#include "emulator/race/parallel_detector.h"

#include <algorithm>

namespace heddle::race {

void LastWriters::note(const Locations& bytes, model::OperationIndex write) {
  const auto found = of_word_.find(word_of(bytes));
  if (found == of_word_.end()) return;
  for (std::uint32_t i = 0; i < bytes.size_bytes; ++i) found->second[(bytes.offset_bytes + i) % kWordBytes] = write;
}

void LastWriters::find_sources(const Locations& bytes, std::vector<trace::Source>& sources) const {
  sources.clear();
  const auto found = of_word_.find(word_of(bytes));
  if (found == of_word_.end()) return sources.push_back({bytes, model::kInitialValue});
  for (std::uint32_t i = 0; i < bytes.size_bytes; ++i) {
    const std::uint64_t byte = bytes.offset_bytes + i;
    const model::OperationIndex writer = found->second[byte % kWordBytes];
    if (!sources.empty() && sources.back().write == writer) {
      ++sources.back().bytes.size_bytes;
    } else {
      sources.push_back({{bytes.allocation, byte, 1}, writer});
    }
  }
}

void History::forget_all() {
  shadow_.forget_all();
  released_.clear();
  writers_.clear();
}

DetectorThread::DetectorThread(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order,
                               SiteNumbers& sites)
    : detector_(options, order, sites), nothing_(*order) {
  detector_.use(nothing_.shadow_, nothing_.released_);
}

void DetectorThread::agents_end(AgentId first, std::uint32_t count, History& workgroup_memory) {
  detector_.use(workgroup_memory.shadow_, workgroup_memory.released_);
  detector_.agents_end(first, count);
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
}

void DetectorThread::meet(std::span<const Operation> barriers) {
  const model::OperationIndex before = told_;
  for (const Operation& barrier : barriers) tell(barrier);
  for (std::uint32_t i = 0; i < barriers.size(); ++i) detector_.passes(before + 1 + i, {});
}

ParallelDetector::ParallelDetector(const KernelOptions& options)
    : options_(options), order_(std::make_shared<KernelOrder::Shared>()) {}

DetectorThread& ParallelDetector::add_thread() {
  return threads_.emplace_back(options_, order_, sites_);
}

// What it says to an order it says to all that share it; a second time it is nothing new.
void ParallelDetector::dependency(bool memory) {
  for (DetectorThread& thread : threads_) {
    thread.detector_.dependency(memory);
    if (!memory) break;
  }
}

void ParallelDetector::replace(AllocationId allocation) {
  for (DetectorThread& thread : threads_) thread.detector_.replace(allocation);
}

}  // namespace heddle::race
