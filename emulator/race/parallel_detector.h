#pragma once

/// \file
/// Data races of kernels whose workgroups run on several threads at once.

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/race/kernel_detector_quick.h"
#include "emulator/race/last_writers.h"
#include "emulator/race/parallel_tags.h"

namespace heddle::race {

/// All that is known of some bytes of memory: the accesses, and what atomics released there. One thread at a
/// time uses it: a thread that tells of an access has it from before the access takes effect until the detector
/// has heard of it, so that the order in which accesses are told is that in which they were.
class History {
 public:
  /// A history of all bytes of each allocation.
  explicit History(const KernelOrder::Shared& order) : released_(order.places()) {}
  /// A history in which the cells of an allocation of no more words stand side by side.
  static History side_by_side(const KernelOrder::Shared& order, std::uint64_t words) {
    History made(order);
    made.shadow_ = Shadow(words);
    return made;
  }
  /// A history of one of each 2^every lines of kLineBytes that follow each other.
  History(const KernelOrder::Shared& order, std::uint32_t every)
      : shadow_(kLineBits, every), released_(order.places()) {}

  static constexpr std::uint32_t kLineBits = 5;
  static constexpr std::uint64_t kLineBytes = kWordBytes << kLineBits;

  /// Forgets everything, as if nothing had been accessed.
  void forget_all();
  /// What is known of an allocation; null if nothing is. Until somebody accesses another one.
  const Shadow::Allocation* find(AllocationId allocation) { return shadow_.find(allocation); }

 private:
  friend class DetectorThread;
  Shadow shadow_;
  ReleaseHistory released_;
  LastWriters writers_;
  /// The index of the last operation that was told in full.
  model::OperationIndex told_ = 0;
};

/// What one thread tells of its workgroups. A workgroup stays on its thread.
class DetectorThread {
 public:
  /// `tags`, which all threads share, may be null.
  DetectorThread(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order, SiteNumbers& sites,
                 ParallelTags* tags);

  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) {
    detector_.agents_begin(first, count, place, subgroups);
    if (tags_) tags_->agents_begin(first, count, place, subgroups);
  }
  /// `workgroup_memory` is what is known of the Workgroup memory of its workgroup.
  void agents_end(AgentId first, std::uint32_t count, History& workgroup_memory);
  /// An access to bytes of which `history` knows everything.
  void access(const Operation& operation, History& history);
  /// Answers for a plain access, if what is known answers it at once. False, and nothing happened, otherwise.
  bool answers_plain(bool writes, AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site,
                     History& history);
  /// Answers for an access to a word: see KernelDetector.
  template <bool writes, typename MayBeFirst>
  [[gnu::always_inline]] bool answers_word(AgentId agent, ReferenceId reference, const Locations& word, SiteId site,
                                           History& history, MayBeFirst may_be_first) {
    return (!writes || history.writers_.empty()) &&
           detector_.answers_word<writes>(history.shadow_, agent, reference, word, site, may_be_first);
  }
  /// Whether no one asks which operation wrote these bytes: then it need not hear of plain writes that KernelDetector
  /// answers.
  static bool ignores_plain_writes(const History& history) { return history.writers_.empty(); }
  /// Answers for a read-modify-write that neither acquires nor releases.
  bool answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site, History& history);
  /// A memory barrier.
  void barrier(const Operation& operation) {
    tell(operation);
    if (tags_) tags_->barrier(operation);
  }
  /// Agents with consecutive numbers from `first` on meet at a control barrier.
  void meet(AgentId first, std::uint32_t count, const Operation& barrier);
  /// Any agents of one workgroup meet, each with a barrier of its own.
  void meet(std::span<const Operation> barriers);

  KernelDetector& detector() { return detector_; }
  const KernelDetector& detector() const { return detector_; }

 private:
  friend class ParallelDetector;
  model::OperationIndex tell(const Operation& operation);

  KernelDetector detector_;
  ParallelTags* tags_;
  /// The index of the last operation that was told in full: those of an agent have rising indices, and so have
  /// those of a history.
  model::OperationIndex told_ = 0;
  std::vector<trace::Source> sources_;
  /// The history that the detector uses where it was given no other.
  History nothing_;
};

[[gnu::always_inline]] inline bool DetectorThread::answers_plain(bool writes, AgentId agent, ReferenceId reference,
                                                                 const Locations& bytes, SiteId site,
                                                                 History& history) {
  if (writes && !history.writers_.empty()) return false;
  detector_.use(history.shadow_, history.released_);
  return detector_.answers_plain(agent, reference, bytes, site);
}

inline bool DetectorThread::answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site,
                                           History& history) {
  if (!history.writers_.empty()) return false;
  detector_.use(history.shadow_, history.released_);
  return detector_.answers_known_atomic(agent, reference, bytes, site) ||
         detector_.answers_atomic(agent, reference, bytes, site);
}

/// Hears every operation of kernels, of several threads at once; otherwise as KernelDetector. The threads
/// share what the order of operations in different workgroups follows from; the accesses are in histories.
class ParallelDetector {
 public:
  /// `tags`: whether operations may have some. Then threads tell of each access in full, none by a quick answer.
  explicit ParallelDetector(const KernelOptions& options = {}, bool tags = false);

  /// What the constructor of a new history is to be given.
  const KernelOrder::Shared& order() const { return *order_; }
  /// Makes the detector of a thread that has none yet. One call at a time.
  DetectorThread& add_thread();
  const std::deque<DetectorThread>& threads() const { return threads_; }
  /// What finds the races that only tags make; null where operations have none.
  ParallelTags* tags() const { return tags_.get(); }

  // No thread tells anything while these run:
  /// A dispatch begins: `groups` workgroups of `size` invocations with consecutive numbers from `first` on.
  void dispatch_begins(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
    order_->reserve(first, size, groups);
    if (tags_) tags_->dispatch_begins(first, size, groups);
  }
  /// As KernelDetector. After a memory dependency the owner of histories is to let them forget everything.
  void dependency(bool memory);
  /// As KernelDetector, of an allocation of which no history knows anything.
  void replace(AllocationId allocation);

 private:
  KernelOptions options_;
  std::shared_ptr<KernelOrder::Shared> order_;
  SiteNumbers sites_;
  std::unique_ptr<ParallelTags> tags_;
  std::deque<DetectorThread> threads_;
};

}  // namespace heddle::race
