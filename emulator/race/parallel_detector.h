#pragma once

/// \file
/// Data races of kernels whose workgroups run on several threads at once.

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::race {

/// Which operation wrote each byte, of the bytes at which something was released: an agent that reads what another
/// operation wrote there acquires nothing.
class LastWriters {
 public:
  bool empty() const { return of_word_.empty(); }
  /// From now on it knows who writes them. At most 8 bytes inside 8 that begin at a multiple of 8, here and
  /// below.
  void watch(const Locations& bytes) { of_word_.try_emplace(word_of(bytes), nobody()); }
  void note(const Locations& bytes, model::OperationIndex write);
  /// Bytes that it does not watch have no write as their source.
  void find_sources(const Locations& bytes, std::vector<trace::Source>& sources) const;
  void clear() { of_word_.clear(); }

 private:
  static constexpr std::uint64_t kWordBytes = 8;
  using Word = std::array<model::OperationIndex, kWordBytes>;
  using Place = std::pair<AllocationId, std::uint64_t>;
  struct HashOfPlace {
    std::size_t operator()(const Place& place) const {
      return (static_cast<std::size_t>(place.first) * 0x9e3779b97f4a7c15u + place.second) * 0x165667b19e3779f9u;
    }
  };
  static Place word_of(const Locations& bytes) { return {bytes.allocation, bytes.offset_bytes / kWordBytes}; }
  static Word nobody() {
    Word word;
    word.fill(model::kInitialValue);
    return word;
  }

  std::unordered_map<Place, Word, HashOfPlace> of_word_;
};

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

  /// Nothing has been accessed.
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
  DetectorThread(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order, SiteNumbers& sites);

  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) {
    detector_.agents_begin(first, count, place, subgroups);
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
  /// Answers for a read of a part of a word of a buffer that is only read.
  [[gnu::always_inline]] bool answers_part(AgentId agent, ReferenceId reference, const Locations& part, SiteId site,
                                           History& history) {
    return detector_.answers_part(history.shadow_, agent, reference, part, site);
  }
  /// Whether no one asks which operation wrote these bytes: then it need not hear of plain writes that KernelDetector
  /// answers.
  static bool ignores_plain_writes(const History& history) { return history.writers_.empty(); }
  /// Answers for a read-modify-write that neither acquires nor releases.
  bool answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site, History& history);
  /// A memory barrier.
  void barrier(const Operation& operation) { tell(operation); }
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
  /// The index of the last operation that was told in full: those of an agent have rising indices, and so have
  /// those of a history.
  model::OperationIndex told_ = 0;
  std::vector<trace::Source> sources_;
  /// For when the detector uses no other.
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
  explicit ParallelDetector(const KernelOptions& options = {});

  /// What a new history is to be made with.
  const KernelOrder::Shared& order() const { return *order_; }
  /// For a thread that has none yet. One call at a time.
  DetectorThread& add_thread();
  const std::deque<DetectorThread>& threads() const { return threads_; }

  // No thread tells anything while these run:
  /// A dispatch begins: `groups` workgroups of `size` invocations with consecutive numbers from `first` on.
  void dispatch_begins(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
    order_->reserve(first, size, groups);
  }
  /// As KernelDetector. After a memory dependency the owner of histories is to let them forget everything.
  void dependency(bool memory);
  /// As KernelDetector, of an allocation of which no history knows anything.
  void replace(AllocationId allocation);

 private:
  KernelOptions options_;
  std::shared_ptr<KernelOrder::Shared> order_;
  SiteNumbers sites_;
  std::deque<DetectorThread> threads_;
};

}  // namespace heddle::race
