#include "emulator/mu/judgement.h"

namespace heddle::mu {

// Client operations, those of trap handlers too, are recorded where the thread performs them.
//= mu:program-order
//= mu:client-operations
void Judgement::order_program() {
  for (EventIndex a = 0; a < count_; ++a)
    for (EventIndex b = a + 1; b < count_; ++b)
      if (execution_.events[a].thread == execution_.events[b].thread) program_order_.add(a, b);
}

}  // namespace heddle::mu
