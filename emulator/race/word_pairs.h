#pragma once

/// \file
/// Whether two accesses to one word race, and what is missing between them: the slow answer of the kernel detector.

#include <string>
#include <vector>

#include "emulator/race/kernel_access.h"
#include "emulator/race/kernel_location_order.h"

namespace heddle::race {

/// Holds a new access against the older ones of its word, which stand in one list. What it has to find out of all of
/// them it finds out once, from `begin` on.
class WordPairs {
 public:
  /// Answers rest on what these know, which outlive them.
  WordPairs(const KernelOrder& order, const KernelSites& sites)
      : order_(order), sites_(sites), location_order_(order) {}

  /// From now on the questions are about one new access, and a list that stays as it is.
  void begin() { looked_ = false; }
  /// Whether the two have bytes in common, and one of them writes.
  bool conflict(const Record& older, const WordAccess& now) const {
    return older.overlaps(now.record) && (sites_[older.site].writes || now.instruction->writes);
  }
  /// Whether an access of the list that conflicts with the new one does not race with it.
  bool is_in_order(const Record& older, const WordAccess& now, const RecordList& list);
  /// The first link that is missing between an access of the list and the new one, which race.
  MissingStep missing(const Record& older, const WordAccess& now, const RecordList& list);
  /// A sentence that says so.
  std::string explain(const Record& older, const WordAccess& now, MissingStep missing) const;

 private:
  bool are_mutually_ordered(const Record& older, const WordAccess& now) const;
  bool is_ordered(const Record& older, const WordAccess& now, const RecordList& list);
  bool may_be_ordered(const Record& older, const WordAccess& now, const RecordList& list) const;
  bool is_reached(const Record& older, const WordAccess& now) const;
  KernelAccess access_of(const Record& record, const WordAccess& now) const;
  void look_at_others(const RecordList& list, const WordAccess& now);
  std::string not_synchronized(std::uint32_t first, std::uint32_t second) const;

  const KernelOrder& order_;
  const KernelSites& sites_;
  KernelLocationOrder location_order_;
  /// All accesses to the word about which questions are being answered, if somebody looked.
  std::vector<KernelAccess> others_;
  bool looked_ = false;
};

}  // namespace heddle::race
