#include "emulator/mu/judgement.h"

namespace heddle::mu {

// Client operations, those of trap handlers too, are recorded where the thread performs them.
//= mu:program-order
//= mu:client-operations
void Judgement::order_program() {
  std::vector<EventSet> later(execution_.threads, EventSet(count_));
  for (auto e = static_cast<EventIndex>(count_); e-- > 0;) {
    EventSet& of_thread = later[execution_.events[e].thread];
    program_order_.add_row(e, of_thread);
    of_thread.add(e);
  }
}

}  // namespace heddle::mu
