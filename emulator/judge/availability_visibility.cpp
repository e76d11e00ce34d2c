#include "emulator/judge/facts.h"

namespace heddle::judge {
// Each element of a chain includes the access that the chain is about: a bulk operation by the storage class of that
// access, an operation of an access's own by reference and location. An element need have nothing in common with
// the ones beside it.
//= vk:memory-model-availability-visibility
//= vk:memory-model-availability-visibility-semantics
//= vk:memory-model-instruction-av-vis
bool Chains::includes(EventIndex operation, EventIndex access) const {
  const EventFacts& op = facts_.events[operation];
  const MemorySemantics storage = facts_.events[access].storage;
  if (op.bulk) return storage != MemorySemantics::None && has(op.storage, storage);
  return location_.accesses.has(operation) &&
         facts_.operation(operation).reference == facts_.operation(access).reference;
}

Level Chains::available_level(EventIndex operation, EventIndex write) const {
  return includes(operation, write) ? facts_.events[operation].availability : Level{0};
}

Level Chains::visible_level(EventIndex operation, EventIndex read) const {
  return includes(operation, read) ? facts_.events[operation].visibility : Level{0};
}

// An operation with a wide scope also makes available to every narrower instance that its agent is in,
// so it counts at each level up to its own.
//= vk:memory-model-availability-visibility-semantics
const std::array<EventSet, kScopes.size()>& Chains::availability(EventIndex write) {
  for (EventSet& set : found_) set.reset(facts_.size());
  EventSet others(facts_.size());
  facts_.making_available.for_each([&](EventIndex op) {
    if (includes(op, write)) others.add(op);
  });

  // A first element is the writing agent's, and program-ordered after the write or part of it.
  EventSet first = facts_.program_order_that_counts().successors(write);
  first.add(write);
  first &= others;
  first.for_each([&](EventIndex op) { add_levels(op, facts_.events[op].availability, 0); });
  if (!facts_.options.chains) return found_;

  // Each next element is performed in the instance that the previous one made the write available to,
  // happens-after it, includes the write, and is broader. It has the most levels where it is found first.
  others -= first;
  for (const Level narrow : facts_.levels) {
    if (others.empty()) break;
    found_[narrow].for_each([&](EventIndex op) {
      EventSet next = facts_.happens_before.successors(op);
      next &= others;
      next &= facts_.instance(facts_.events[op].agent, narrow);
      next.for_each([&](EventIndex later) {
        if (add_levels(later, facts_.events[later].availability, narrow)) others.remove(later);
      });
    });
  }
  return found_;
}

//= vk:memory-model-availability-visibility
const std::array<EventSet, kScopes.size()>& Chains::visibility(EventIndex read) {
  for (EventSet& set : found_) set.reset(facts_.size());
  EventSet others(facts_.size());
  facts_.making_visible.for_each([&](EventIndex op) {
    if (includes(op, read)) others.add(op);
  });

  // The last element is the reading agent's, and program-ordered before the read or part of it.
  EventSet last = others;
  last &= facts_.of_agent[static_cast<std::size_t>(facts_.events[read].agent)];
  last.for_each([&](EventIndex op) {
    if (op != read && !facts_.program_order_that_counts().has(op, read)) return;
    add_levels(op, facts_.events[op].visibility, 0);
    others.remove(op);
  });
  if (!facts_.options.chains) return found_;

  // Each element before it is performed in the instance that the next one takes from, happens-before
  // it, includes the read, and takes from a broader one.
  for (const Level narrow : facts_.levels) {
    if (others.empty()) break;
    found_[narrow].for_each([&](EventIndex op) {
      const EventSet before = others & facts_.instance(facts_.events[op].agent, narrow);
      before.for_each([&](EventIndex earlier) {
        if (!facts_.happens_before.has(earlier, op)) return;
        if (add_levels(earlier, facts_.events[earlier].visibility, narrow)) others.remove(earlier);
      });
    });
  }
  return found_;
}

bool Chains::add_levels(EventIndex operation, Level widest, Level above) {
  for (Level level = widest; level > above; --level) found_[level].add(operation);
  return widest > above;
}

}  // namespace heddle::judge
