#include "emulator/judge/facts.h"

namespace heddle::judge {

// Location by location: what is visible for a set of locations is visible for each of them.
//= vk:memory-model-visible-to
void derive_visible_to(Facts& facts) {
  facts.visible_to.reset(facts.size());
  for (const Location& location : facts.locations) {
    const EventSet writes = location.accesses & facts.writes;
    writes.for_each([&](EventIndex x) {
      location.location_ordered.for_each_successor(x, [&](EventIndex y) {
        if (!facts.events[y].reads) return;
        bool hidden = false;
        writes.for_each([&](EventIndex z) {
          hidden = hidden || (location.location_ordered.has(x, z) && location.location_ordered.has(z, y));
        });
        if (!hidden) facts.visible_to.add(x, y);
      });
    });
  }
}

}  // namespace heddle::judge
