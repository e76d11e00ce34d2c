#pragma once

/// \file
/// The order of the versions of each granule, and how far each of them has come.

#include "emulator/memory/granule_table.h"
#include "emulator/memory/telling.h"

namespace heddle::memory {

/// Gives writes their places in the one order that each granule's writes have, moves versions to wider caches, and
/// folds them into the storage.
///
/// A version never changes its place. It is *narrow* until it has come to everybody, and it moves to wider caches
/// alone. A granule has Versions::kMost of them at most, and so many may be narrow as may wait: where there are more,
/// the oldest goes on. The order decides neither which write goes nor how far; it tells each move.
class WriteOrder {
 public:
  /// A version that not everybody may meet.
  struct Narrow {
    std::uint32_t record = 0;
    Stamp stamp = 0;
    std::uint32_t born = 0;
  };

  /// All of these outlive the order; `now` is the time, in operations.
  WriteOrder(GranuleTable& granules, Telling& telling, MemoryReport& report, const std::uint64_t& now)
      : granules_(granules), telling_(telling), report_(report), now_(now) {}
  void restart() {
    stamp_ = 0;
    narrow_.clear();
  }

  /// The stamp of the version that was placed last.
  Stamp last() const { return stamp_; }
  /// As far as ages need it.
  std::uint32_t time() const { return static_cast<std::uint32_t>(now_); }

  /// Places the granule's next version, which comes to the caches of `level`. `agent`, whose it is, may be null: it has
  /// ended.
  void place(Granule& granule, std::uint32_t record, Version& version, Agent* agent, CacheLevel level,
             trace::MoveReason reason);
  /// A write of that agent has left its cache.
  void note_placed(Agent& agent, const Written& made);
  /// The version comes to the caches of `level`, unless it has come as far.
  [[gnu::noinline]] void raise(Granule& granule, Version& version, CacheLevel level, trace::MoveReason reason);

  /// The versions that are narrow, in the order in which they were placed.
  std::uint32_t narrow_count() const { return narrow_.size(); }
  const Narrow& narrow(std::size_t i) const { return narrow_[i]; }
  Version& narrow_version(std::size_t i) { return granules_[narrow_[i].record].version_at(narrow_[i].stamp); }
  /// Raises one of them.
  void widen(std::size_t i, CacheLevel level, trace::MoveReason reason);
  /// Calls `visit` of the granule and version of each. It may raise that one, and no other.
  template <typename Visit>
  void for_each_narrow(Visit visit) {
    for (std::size_t i = 0; i < narrow_.size();) {
      const Stamp stamp = narrow_[i].stamp;
      Granule& granule = granules_[narrow_[i].record];
      visit(granule, granule.version_at(stamp));
      if (i < narrow_.size() && narrow_[i].stamp == stamp) ++i;
    }
  }
  /// Versions of an allocation that is gone come nowhere any more.
  void remove(AllocationId allocation);
  /// No agent comes to any version any more.
  void forget_narrow() { narrow_.clear(); }

  /// A write gets to the storage, without a place in the order.
  void store(Granule& granule, const Written& write);
  /// The oldest version of the granule that is not in the storage gets there. It stays a version.
  void fold(Granule& granule, Version& version);
  /// Versions that have come to everybody, and before which there is none that has not, get to the storage and are
  /// versions no more.
  void fold_wide(Granule& granule);
  /// All of them get there, and are versions no more; no move is told.
  void fold_all(Granule& granule);

 private:
  [[gnu::noinline]] void fold_oldest(Granule& granule);
  [[gnu::noinline]] void note_writers(const Granule& granule);

  GranuleTable& granules_;
  Telling& telling_;
  MemoryReport& report_;
  const std::uint64_t& now_;
  Stamp stamp_ = 0;
  Few<Narrow, WaitingList::kMost + 1> narrow_;
};

}  // namespace heddle::memory
