#pragma once

/// \file
/// A check, in debug builds alone, that no quick answer of the kernel detector hides a race.

#include <vector>

#include "emulator/race/shadow.h"

namespace heddle::race {

class KernelLists;

/// Made before the kernel detector answers for an access quickly, and asked after it: each access that the cell had
/// before has to be one that the slow answer finds to be in order with this one. It is nothing unless
/// HEDDLE_CHECK_ANSWERS is defined, as it is in debug builds: the presets asan, ubsan and tsan.
class QuickCheck {
 public:
#ifndef HEDDLE_CHECK_ANSWERS
  /// Who is asked for slow answers.
  class Checker {
   public:
    Checker() = default;
    explicit Checker(const KernelLists&) {}
  };
  QuickCheck(Checker, const Cell&, const CellAccess&) {}
  QuickCheck(Checker, Shadow&, const Cell&, const CellAccess&, std::uint32_t = 0, std::uint32_t = kWordBytes) {}
  [[gnu::always_inline]] bool agrees(bool answered) const {
    return answered;
  }
#else
  class Checker {
   public:
    Checker() = default;
    explicit Checker(KernelLists& lists) : lists_(&lists) {}

   private:
    friend class QuickCheck;
    KernelLists* lists_ = nullptr;
  };
  /// Looks at an access to the word that has this cell; not where that is in a crowd or a list.
  QuickCheck(Checker checker, const Cell& cell, const CellAccess& access);
  /// Looks at an access to bytes `first` up to `last` of the word that has this cell, in this shadow.
  QuickCheck(Checker checker, Shadow& shadow, const Cell& cell, const CellAccess& access, std::uint32_t first = 0,
             std::uint32_t last = kWordBytes);
  /// Returns whether it was answered; ends the program if it was, and the slow answer is another.
  bool agrees(bool answered) const;

 private:
  KernelLists* lists_;
  CellAccess access_;
  std::uint32_t first_;
  std::uint32_t last_;
  RecordList before_;
#endif
};

}  // namespace heddle::race
