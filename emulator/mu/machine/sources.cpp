#include "emulator/mu/machine/sources.h"

#include <algorithm>
#include <iterator>

namespace heddle::mu::machine {

void Sources::restart(bool events) {
  events_ = events;
  used_ = 0;
  add();
}

SourceIndex Sources::add() {
  if (used_ == sets_.size()) sets_.emplace_back();
  sets_[used_].events.clear();
  sets_[used_].clock = kNoClock;
  return static_cast<SourceIndex>(used_++);
}

SourceIndex Sources::of(EventIndex event, SourceIndex operands, ClockIndex consumed) {
  const ClockIndex clock = memory_.clocks().joined(sets_[operands].clock, consumed);
  if (!events_ && clock == kNoClock) return kNoSource;
  const SourceIndex out = add();
  if (events_) sets_[out].events.push_back(event);
  sets_[out].clock = clock;
  return out;
}

SourceIndex Sources::joined(SourceIndex a, SourceIndex b) {
  if (a == kNoSource || a == b) return b;
  if (b == kNoSource) return a;
  const SourceIndex out = add();
  if (events_)
    std::set_union(sets_[a].events.begin(), sets_[a].events.end(), sets_[b].events.begin(), sets_[b].events.end(),
                   std::back_inserter(sets_[out].events));
  sets_[out].clock = memory_.clocks().joined(sets_[a].clock, sets_[b].clock);
  return out;
}

}  // namespace heddle::mu::machine
