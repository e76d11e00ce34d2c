#pragma once

/// \file
/// What values come from: the events that carry a dependency to what uses a value, and the clock of what happens
/// before it through them.

#include <vector>

#include "emulator/mu/machine/memory.h"

namespace heddle::mu::machine {

using SourceIndex = std::uint32_t;
inline constexpr SourceIndex kNoSource = 0;

//= mu:carries-a-dependency
class Sources {
 public:
  explicit Sources(Memory& memory) : memory_(memory) { restart(false); }
  /// With `events` it keeps which events they are, else clocks alone.
  void restart(bool events);
  /// The event, to which these carry a dependency, and which consumed.
  SourceIndex of(EventIndex event, SourceIndex operands, ClockIndex consumed);
  SourceIndex joined(SourceIndex a, SourceIndex b);
  ClockIndex clock(SourceIndex sources) const { return sets_[sources].clock; }
  /// In ascending order.
  const std::vector<EventIndex>& events(SourceIndex sources) const { return sets_[sources].events; }

 private:
  struct Set {
    std::vector<EventIndex> events;
    ClockIndex clock = kNoClock;
  };
  SourceIndex add();
  Memory& memory_;
  bool events_ = false;
  std::vector<Set> sets_;
  std::size_t used_ = 0;
};

}  // namespace heddle::mu::machine
