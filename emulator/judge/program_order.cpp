#include "emulator/judge/facts.h"

namespace heddle::judge {

// The record keeps the operations of an agent in program order; the read of a read-modify-write comes
// before its write.
//= vk:memory-model-program-order
void derive_program_order(Facts& facts) {
  facts.program_order.reset(facts.size());
  for (EventIndex b = 0; b < facts.size(); ++b)
    for (EventIndex a = 0; a < b; ++a)
      if (facts.events[a].agent == facts.events[b].agent) facts.program_order.add(a, b);
}

}  // namespace heddle::judge
