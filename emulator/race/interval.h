#pragma once

/// \file
/// Accesses of one workgroup to one variable in its Workgroup memory, between two of its barriers, answered inline.

#include "emulator/race/cell.h"
#include "emulator/race/kernel_order.h"
#include "emulator/race/quick_check.h"

namespace heddle::race {

/// A site at which it is asked again and again: one that KernelDetector::is_quick.
struct QuickSite {
  SiteId id = kNoSite;
  /// What SiteRelations::to returns.
  const Relation* to_this = nullptr;
};

/// What accesses of a workgroup through one reference to its Workgroup memory have in common, until the next barrier:
/// until somebody begins.
///
/// The cells it is asked about are of Workgroup memory that is known (Shadow::Allocation::is_known), which only its
/// workgroup accesses, and through no other reference; the agents are of its workgroup, and it is not over. Each of its
/// answers is one that KernelDetector gives of the same access in full, at less cost.
class Interval {
 public:
  Interval() = default;
  /// The interval of the agents near, whose accesses go through the reference with this number, which is not
  /// kMostReferences.
  Interval(const KernelOrder::Near& near, std::uint8_t number, QuickCheck::Checker checker);
  /// Whether it has ended. (Not to be asked of none, nor when agents of other workgroups have begun, unless there was
  /// room for them: see KernelOrder::Shared::reserve.)
  bool is_over() const { return *now_ != stamp_; }
  /// Whether the interval of these agents, which are of its workgroup, is this one.
  [[gnu::always_inline]] bool is_present(const KernelOrder::Near& near) const { return near.now() == stamp_; }

  /// Answers for a plain access to a word that the instruction writes, or only reads. False, and nothing happened,
  /// where it does not, as of a cell that is empty: then `begin` may be told.
  template <bool writes>
  bool answers_word(Cell& cell, AgentId agent, const QuickSite& site) const;
  /// Puts the first access to a word into its cell.
  void begin(Cell& cell, AgentId agent, const QuickSite& site) const { cell.put(0, access(agent, site)); }
  /// Answers for a read that `answers_word` does not answer: where others read alike, or where all there is is a few
  /// atomics from before the interval, in whose place it stands from now on.
  bool answers_read_again(Cell& cell, AgentId agent, const QuickSite& site) const;

 private:
  CellAccess access(AgentId agent, const QuickSite& site) const {
    return {static_cast<std::uint32_t>(agent), time_, site.id};
  }
  QuickCheck check(const Cell& cell, AgentId agent, const QuickSite& site) const {
    return {checker_, cell, access(agent, site)};
  }
  /// Whether what the access in the slot does is settled by the barriers before the interval.
  [[gnu::always_inline]] bool is_settled(const Cell& cell, std::size_t slot, Relation relation) const {
    return cell.is_before(slot, ends_[static_cast<std::size_t>(settled_by(relation))]);
  }
  /// Whether, besides, an access of this relation stands for the one in the slot.
  [[gnu::always_inline]] bool is_followed(const Cell& cell, std::size_t slot, Relation relation) const {
    return (relation & kStandsFor) != 0 && is_settled(cell, slot, relation);
  }
  [[gnu::always_inline]] bool few_are_followed(const Cell& few, const QuickSite& site) const {
    return few.site_of_few() < SiteRelations::kMost && is_followed(few, 0, site.to_this[few.site_of_few()]);
  }
  template <bool writes>
  bool fits_word(Cell& cell, AgentId agent, const QuickSite& site) const;
  bool fits_read_again(Cell& cell, const CellAccess& read, const QuickSite& site) const;

  const Stamp* now_ = nullptr;
  Stamp stamp_ = 0;
  AccessTime time_;
  /// For each SettledBy, accesses before this time are settled.
  std::array<AccessTime, kSettledBy> ends_{};
  [[no_unique_address]] QuickCheck::Checker checker_;
};

// What is settled of the last stamp that cells can have is left to those who ask in full.
inline Interval::Interval(const KernelOrder::Near& near, std::uint8_t number, QuickCheck::Checker checker)
    : now_(near.clock()),
      stamp_(near.now() <= kMostStamps ? near.now() : 0),
      time_(AccessTime::of(near.now(), number)),
      checker_(checker) {
  const Settled& settled = near.settled(kWorkgroupClass);
  for (std::size_t way = 0; way < kSettledBy; ++way) {
    const Stamp last = settled.by(static_cast<SettledBy>(way));
    if (last != 0) ends_[way] = AccessTime::after(last);
  }
}

// An empty cell has nothing that is settled, and nothing is replaced there: kNoSite is among those that were not taken
// notice of. What is asked of a relation, mostly one and the same, comes before what is asked of the agents.
template <bool writes>
[[gnu::always_inline]] inline bool Interval::fits_word(Cell& cell, AgentId agent, const QuickSite& site) const {
  if (!cell.is_simple()) [[unlikely]]
    return false;
  const CellAccess access = this->access(agent, site);
  const auto is_replaced = [&](std::size_t slot, Relation relation) {
    return (relation & kReplaced) != 0 && cell.agent(slot) == access.agent;
  };
  const Relation to_first = site.to_this[cell.site(0)];
  if constexpr (writes) {
    if (!is_settled(cell, 0, to_first) && !is_replaced(0, to_first)) return false;
    if (!cell.has_second()) {
      cell.put(0, access);
      return true;
    }
    const Relation to_second = site.to_this[cell.site(1)];
    if (!is_settled(cell, 1, to_second) && !is_replaced(1, to_second)) return false;
    cell.put_alone(access);
  } else {
    const bool replaces_first = is_replaced(0, to_first);
    if (!replaces_first && !is_settled(cell, 0, to_first)) return false;
    if (!cell.has_second()) {
      cell.put(replaces_first ? 0 : 1, access);
      return true;
    }
    const Relation to_second = site.to_this[cell.site(1)];
    if (is_replaced(1, to_second) || ((to_second & kConflicts) != 0 && !is_settled(cell, 1, to_second))) return false;
    cell.put_last(access);
  }
  return true;
}

template <bool writes>
[[gnu::always_inline]] inline bool Interval::answers_word(Cell& cell, AgentId agent, const QuickSite& site) const {
  const QuickCheck check = this->check(cell, agent, site);
  return check.agrees(fits_word<writes>(cell, agent, site));
}

inline bool Interval::fits_read_again(Cell& cell, const CellAccess& read, const QuickSite& site) const {
  if (cell.reads_alike(read, [](std::uint32_t) { return true; })) return true;
  if (!cell.is(Cell::Form::Few) || !few_are_followed(cell, site)) return false;
  cell = Cell::accesses(read);
  return true;
}

inline bool Interval::answers_read_again(Cell& cell, AgentId agent, const QuickSite& site) const {
  const QuickCheck check = this->check(cell, agent, site);
  return check.agrees(fits_read_again(cell, access(agent, site), site));
}

}  // namespace heddle::race
