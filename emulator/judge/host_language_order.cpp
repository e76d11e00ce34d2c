#include "emulator/judge/facts.h"

namespace heddle::judge {

// Between host agents the happens-before of their language holds, which is transitive: program order, and what
// acquires from what was released. Mu's orders and fences come as pairs that are given.
//= vk:memory-model-inter-thread-happens-before
void derive_host_language_order(Facts& facts) {
  const bool has_host_threads = facts.host().has_host_threads;
  Relation& order = facts.host_language_order;
  order.reset(has_host_threads ? facts.size() : 0);
  if (!has_host_threads) return;
  facts.on_host.for_each([&](EventIndex e) {
    EventSet after = facts.program_order.successors(e);
    facts.synchronizes.add_row_to(e, after);
    order.add_row(e, after &= facts.on_host);
  });
  for (const auto& [a, b] : facts.execution->host_order)
    for (const EventIndex x : facts.events_of[a])
      for (const EventIndex y : facts.events_of[b]) order.add(x, y);
  order.close();
}

}  // namespace heddle::judge
