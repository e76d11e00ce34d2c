#include "emulator/mu/judgement.h"

namespace heddle::mu {

// Whose value is an argument of what, exceptions left out, is recorded with the events: it is syntax.
//= mu:carries-a-dependency
void Judgement::carry_dependencies() {
  for (EventIndex b = 0; b < count_; ++b) {
    const Event& event = execution_.events[b];
    for (const EventIndex a : event.operands) carries_dependency_.add(a, b);
    //= mu:dependency-through-memory
    if (!event.loads()) continue;
    for (const EventIndex x : stores_[event.location])
      if (program_order_.has(x, b))
        for (const EventIndex a : execution_.events[x].stored_from) carries_dependency_.add(a, b);
  }
  carries_dependency_.close();
  //= mu:dependency-ordered-before
  for (EventIndex b = 0; b < count_; ++b) {
    const Event& load = execution_.events[b];
    const EventIndex seen = execution_.reads_from[b];
    if (!load.loads() || !consumes(load.order) || seen >= count_) continue;
    for (const EventIndex a : stores_[load.location]) {
      const Event& store = execution_.events[a];
      if (!releases(store.order) || store.thread == load.thread || !release_sequence_.has(a, seen)) continue;
      dependency_ordered_before_.add(a, b);
      dependency_ordered_before_.add_row(a, carries_dependency_, b);
    }
  }
}

}  // namespace heddle::mu
