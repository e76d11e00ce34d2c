#include "emulator/judge/facts.h"

namespace heddle::judge {

// A union, and not closed: program order and inter-thread-happens-before are each transitive, and
// chains between them are not valid. Of program order, what tags leave out is not in it.
//= vk:memory-model-happens-before
void derive_happens_before(Facts& facts) {
  facts.happens_before = facts.program_order_that_counts();
  facts.happens_before |= facts.inter_thread_happens_before;
}

}  // namespace heddle::judge
