#pragma once

/// \file
/// The races that only tags make, of workgroups that run on several threads at once.

#include <functional>
#include <mutex>
#include <vector>

#include "emulator/race/last_writers.h"
#include "emulator/race/tagged_detector.h"

namespace heddle::race {

/// One TaggedDetector, which hears the operations of all threads one by one. A thread that tells of an access has the
/// History of its bytes, and has told its own KernelDetector: so accesses to the same bytes are heard in the order in
/// which they were, and what both detectors find is told by the other one first.
class ParallelTags {
 public:
  /// `sites` are those of all threads, and must outlive it.
  ParallelTags(const KernelOptions& options, SiteNumbers& sites)
      : sites_(options, std::make_shared<KernelOrder::Shared>(), sites), tagged_(nobody_, sites_, options) {}

  // Any thread may call these at any time:
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups);
  void agents_end(AgentId first, std::uint32_t count);
  void access(const Operation& operation);
  void barrier(const Operation& operation);
  /// Agents of one workgroup meet, each with a barrier of its own.
  void meet(std::span<const Operation> barriers);
  /// Agents with consecutive numbers from the operation's on meet.
  void meet(const Operation& barrier, std::uint32_t count);
  /// The number of the allocation will be another one's.
  void forget(AllocationId allocation);

  // No thread tells anything while these run:
  void dispatch_begins(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
    tagged_.reserve(first, size, groups);
  }
  void dependency(bool memory);
  /// As KernelDetector::replace.
  void replace(AllocationId allocation);
  /// Called by the thread that tells just then.
  void on_too_many_sets(std::function<void()> call) { tagged_.on_too_many_sets(std::move(call)); }

  /// Has the races, and calls those who want to know of them; it hears no operations.
  KernelDetector& found() { return sites_; }
  const KernelDetector& found() const { return sites_; }

 private:
  /// Hears nothing: the threads' own detectors do.
  class Nobody final : public trace::Listener {
   public:
    void agent_begins(AgentId, const model::Place&) override {}
    void agent_ends(AgentId) override {}
    void system_synchronizes(AgentId, AgentId) override {}
    void operation(model::OperationIndex, const Operation&, model::Value, model::Value,
                   std::span<const trace::Source>) override {}
    void passes(model::OperationIndex, std::span<const model::OperationIndex>) override {}
    void placed(model::OperationIndex) override {}
  };

  Nobody nobody_;
  std::mutex mutex_;
  // Guarded by mutex_ while threads tell:
  KernelDetector sites_;
  TaggedDetector tagged_;
  /// Knows who wrote the bytes that atomics have written.
  LastWriters writers_;
  model::OperationIndex told_ = 0;
  std::vector<trace::Source> sources_;
};

}  // namespace heddle::race
