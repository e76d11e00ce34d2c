#pragma once

/// \file
/// Accesses to a word one by one, in a list: whatever no other form of a cell has room for.

#include "emulator/race/kernel_races.h"
#include "emulator/race/quick_check.h"
#include "emulator/race/word_pairs.h"

namespace heddle::race {

/// Takes in what no quick answer holds for: holds it against each older access to its word, and keeps what later ones
/// have to be held against.
class KernelLists {
 public:
  /// `most_records` as in KernelOptions. The order and the sites outlive it.
  KernelLists(const KernelOrder& order, const KernelSites& sites, std::uint32_t most_records)
      : order_(order), sites_(sites), most_records_(most_records), pairs_(order, sites) {}

  /// The access, part of whose room is the cell's word, is told after all others; `races` takes notice of those that it
  /// races with. If it `forgets`, accesses go for which others stand.
  void take_in(Shadow& shadow, Cell& cell, WordAccess& now, bool forgets, KernelRaces& races);

 private:
  friend class QuickCheck;
  RecordList& unpack(Shadow& shadow, Cell& cell);
  void pack(Shadow& shadow, Cell& cell) const;
  void copy(const Cell& cell, Shadow& shadow, RecordList& to) const;
  void copy_own(const Cell& cell, RecordList& to) const;
  void copy_accesses(const Cell& cell, RecordList& to) const;
  void look_for_races(const RecordList& list, const WordAccess& now, KernelRaces& races);
  void keep(RecordList& list, WordAccess& now, bool forgets) const;
  bool is_replaced(const Record& older, const WordAccess& now) const;
  std::size_t least_telling(const RecordList& list, const WordAccess& now) const;

  const KernelOrder& order_;
  const KernelSites& sites_;
  std::uint32_t most_records_;
  WordPairs pairs_;
  /// Where accesses stand while they move into a list, which gets their room.
  RecordList unpacked_;
};

}  // namespace heddle::race
