#include "emulator/judge/facts.h"

namespace heddle::judge {

// The record keeps the operations of an agent in program order; the read of a read-modify-write comes
// before its write.
//= vk:memory-model-program-order
void derive_program_order(Facts& facts, EventIndex first) {
  facts.program_order.resize(facts.size());
  facts.same_reference_order.resize(facts.size());
  for (EventIndex b = first; b < facts.size(); ++b) {
    const Operation& later = facts.operation(b);
    facts.of_agent[static_cast<std::size_t>(facts.events[b].agent)].for_each([&](EventIndex a) {
      if (a >= b) return;
      facts.program_order.add(a, b);
      const Operation& earlier = facts.operation(a);
      if (facts.accesses.has(a) && facts.accesses.has(b) && earlier.reference == later.reference &&
          earlier.locations.overlaps(later.locations))
        facts.same_reference_order.add(a, b);
    });
  }
}

}  // namespace heddle::judge
