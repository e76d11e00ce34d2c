#pragma once

/// \file
/// What runs next on a thread.

#include <cstdint>

#include "runtime/group.h"

namespace heddle::runtime {

/// What a scheduler has chosen: an invocation that resumes or starts, the stack that runs a workgroup, ...
struct Pick {
  enum Kind : std::uint8_t { Nothing, Resume, Start, Driver, Admit, Ring, Park } kind = Nothing;
  /// The index of the invocation that resumes or starts. (Its slot would be too much to hand on in registers.)
  std::uint32_t index = 0;
  Group* group = nullptr;

  static Pick of(Group& g, const Slot* slot) {
    return {slot->state == SlotState::Unstarted ? Start : Resume, g.index_of(slot), &g};
  }
  Slot* slot() const { return group->begin + index; }
  /// Whether it takes a fiber that is at nothing.
  bool needs_fiber() const { return kind == Start || kind == Admit; }
};

}  // namespace heddle::runtime
