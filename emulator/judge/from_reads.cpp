#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// What a read that takes its value from `source` comes before: in the suite's flavour location order
// counts wherever the read stands; in the specification's, where the read is itself location-ordered
// after what it reads.
//= vk:memory-model-acyclicity
EventSet later_writes(const Facts& facts, const Location& location, EventIndex source, EventIndex read) {
  EventSet later = facts.modification_order.successors(source);
  if (facts.options.flavour == Flavour::KhronosSuite || location.location_ordered.has(source, read))
    location.location_ordered.add_row_to(source, later);
  return later;
}

}  // namespace

//= vk:memory-model-acyclicity
void derive_from_reads(Facts& facts) {
  facts.from_reads.reset(facts.size());
  for (Location& location : facts.locations) {
    location.from_reads.reset(facts.size());
    const EventSet writes = location.accesses & facts.writes;
    (location.accesses & facts.reads).for_each([&](EventIndex read) {
      const EventIndex source = location.source[read];
      if (source == kUnknown) return;
      // A read of the initial value comes before every write, through any reference.
      EventSet later = source == kInitial ? writes : later_writes(facts, location, source, read);
      later &= writes;
      later.remove(read);
      location.from_reads.add_row(read, later);
    });
    facts.from_reads |= location.from_reads;
  }
}

}  // namespace heddle::judge
