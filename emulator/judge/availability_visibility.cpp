#include <algorithm>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// Bulk operations include all references in the storage classes of the instruction.
//= vk:memory-model-availability-visibility-semantics
bool bulk_includes(const EventFacts& operation, const EventFacts& access) {
  return access.storage != MemorySemantics::None && has(operation.mask, access.storage);
}

// Operations of an access's own include the reference and the locations that it accesses.
//= vk:memory-model-instruction-av-vis
bool own_includes(const Facts& facts, const Location& location, EventIndex operation,
                  EventIndex access) {
  return location.accesses.has(operation) && location.accesses.has(access) &&
         facts.operation(operation).reference == facts.operation(access).reference;
}

// Links of a chain are treated like accesses to the storage classes that they are about: a bulk
// operation includes another one if they have a storage class in common.
//= vk:memory-model-availability-visibility
bool bulk_includes_bulk(const EventFacts& operation, const EventFacts& link) {
  return (operation.mask & link.mask) != MemorySemantics::None;
}

}  // namespace

Level Chains::available_level(EventIndex operation, EventIndex included) const {
  const EventFacts& op = facts_.events[operation];
  const EventFacts& other = facts_.events[included];
  Level level = 0;
  if (op.bulk_availability && bulk_includes(op, other)) level = op.bulk_availability;
  if (op.own_availability > level && own_includes(facts_, location_, operation, included))
    level = op.own_availability;
  return level;
}

Level Chains::available_link_level(EventIndex operation, EventIndex link) const {
  const EventFacts& op = facts_.events[operation];
  const EventFacts& previous = facts_.events[link];
  if (op.bulk_availability && previous.bulk_availability && bulk_includes_bulk(op, previous))
    return std::max(op.bulk_availability, available_level(operation, link));
  return available_level(operation, link);
}

Level Chains::visible_level(EventIndex operation, EventIndex included) const {
  const EventFacts& op = facts_.events[operation];
  const EventFacts& other = facts_.events[included];
  Level level = 0;
  if (op.bulk_visibility && bulk_includes(op, other)) level = op.bulk_visibility;
  if (op.own_visibility > level && own_includes(facts_, location_, operation, included))
    level = op.own_visibility;
  return level;
}

Level Chains::visible_link_level(EventIndex operation, EventIndex link) const {
  const EventFacts& op = facts_.events[operation];
  const EventFacts& next = facts_.events[link];
  if (op.bulk_visibility && next.bulk_visibility && bulk_includes_bulk(op, next))
    return std::max(op.bulk_visibility, visible_level(operation, link));
  return visible_level(operation, link);
}

// An operation with a wide scope also makes available to every narrower instance that its agent is in,
// so it counts at each level up to its own.
//= vk:memory-model-availability-visibility-semantics
const std::array<EventSet, kLevels.size()>& Chains::availability(EventIndex write) {
  for (EventSet& set : found_) set.reset(facts_.size());

  // A first element is the writing agent's, and program-ordered after the write or part of it.
  EventSet first = facts_.program_order.successors(write);
  first.add(write);
  first &= facts_.making_available;
  first.for_each([&](EventIndex op) {
    for (Level level = available_level(op, write); level > 0; --level) found_[level].add(op);
  });
  if (!facts_.options.chains) return found_;

  // Each next element is performed in the instance that the previous one made the write available to,
  // happens-after it, includes it, and is broader.
  const EventSet& everywhere = found_[facts_.levels.back()];
  for (const Level narrow : facts_.levels) {
    found_[narrow].for_each([&](EventIndex op) {
      EventSet next = facts_.happens_before.successors(op);
      next &= facts_.instance(facts_.events[op].agent, narrow);
      next &= facts_.making_available;
      next -= everywhere;
      next.for_each([&](EventIndex later) {
        for (Level level = available_link_level(later, op); level > narrow; --level)
          found_[level].add(later);
      });
    });
  }
  return found_;
}

//= vk:memory-model-availability-visibility
const std::array<EventSet, kLevels.size()>& Chains::visibility(EventIndex read) {
  const AgentId agent = facts_.events[read].agent;
  for (EventSet& set : found_) set.reset(facts_.size());

  // The last element is the reading agent's, and program-ordered before the read or part of it.
  EventSet last = facts_.of_agent[static_cast<std::size_t>(agent)];
  last &= facts_.making_visible;
  last.for_each([&](EventIndex op) {
    if (op != read && !facts_.program_order.has(op, read)) return;
    for (Level level = visible_level(op, read); level > 0; --level) found_[level].add(op);
  });
  if (!facts_.options.chains) return found_;

  // Each element before it is performed in the instance that the next one takes from, happens-before
  // it, includes it, and takes from a broader one.
  const EventSet& everywhere = found_[facts_.levels.back()];
  for (const Level narrow : facts_.levels) {
    found_[narrow].for_each([&](EventIndex op) {
      EventSet before = facts_.instance(facts_.events[op].agent, narrow);
      before &= facts_.making_visible;
      before -= everywhere;
      before.for_each([&](EventIndex earlier) {
        if (!facts_.happens_before.has(earlier, op)) return;
        for (Level level = visible_link_level(earlier, op); level > narrow; --level)
          found_[level].add(earlier);
      });
    });
  }
  return found_;
}

}  // namespace heddle::judge
