#include "emulator/judge/facts.h"

namespace heddle::judge {

// Only mutually ordered writes are ordered, and mutual order is not transitive: a record may order A
// before B and B before C without ordering A and C. The suite closes the order.
//= vk:memory-model-scoped-modification-order
void derive_scoped_modification_order(Facts& facts) {
  Relation& order = facts.modification_order;
  order.reset(facts.size());
  for (const auto& [earlier, later] : facts.execution->modification_order) {
    const EventIndex a = facts.write_event(earlier);
    const EventIndex b = facts.write_event(later);
    if (facts.mutually_ordered.has(a, b)) order.add(a, b);
  }
  if (facts.options.flavour == Flavour::KhronosSuite) order.close();
}

}  // namespace heddle::judge
