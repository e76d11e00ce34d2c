#include "emulator/judge/facts.h"

namespace heddle::judge {

//= vk:memory-model-access-data-race
bool races_at(const Facts& facts, const Location& location, EventIndex x, EventIndex y) {
  if (!location.accesses.has(x) || !location.accesses.has(y)) return false;
  // X != Y; the halves of a read-modify-write are one operation.
  if (facts.events[x].operation == facts.events[y].operation) return false;
  if (!facts.events[x].writes && !facts.events[y].writes) return false;
  if (facts.mutually_ordered.has(x, y)) return false;
  return !location.location_ordered.has(x, y) && !location.location_ordered.has(y, x);
}

//= vk:memory-model-access-data-race
void derive_data_races(Facts& facts) {
  facts.data_race.reset(facts.size());
  for (const Location& location : facts.locations) {
    const EventSet writes = location.accesses & facts.writes;
    location.accesses.for_each([&](EventIndex x) {
      EventSet against = facts.events[x].writes ? location.accesses : writes;
      facts.mutually_ordered.take_row_from(x, against);
      location.location_ordered.take_row_from(x, against);
      against.for_each([&](EventIndex y) {
        if (x < y && races_at(facts, location, x, y)) facts.data_race.add(x, y);
      });
    });
  }
}

}  // namespace heddle::judge
