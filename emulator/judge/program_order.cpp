#include <algorithm>

#include "emulator/judge/facts.h"
#include "emulator/model/tags.h"

namespace heddle::judge {
namespace {

// "When two instructions' metadata are not compatible, any program order between them are not in happens-before."
//= mmra:happens-before
void leave_out_incompatible(Facts& facts) {
  const auto& operations = facts.execution->operations;
  facts.tagged =
      std::any_of(operations.begin(), operations.end(), [](const Operation& op) { return op.tags != TagSetId::Empty; });
  if (!facts.tagged) return;
  facts.compatible_program_order = facts.program_order;
  facts.program_order.for_each([&](EventIndex a, EventIndex b) {
    if (!model::compatible(facts.operation(a).tags, facts.operation(b).tags))
      facts.compatible_program_order.remove(a, b);
  });
}

}  // namespace

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
  leave_out_incompatible(facts);
}

}  // namespace heddle::judge
