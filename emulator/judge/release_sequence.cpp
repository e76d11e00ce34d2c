#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// The language of host agents also has later stores of the head's own thread in the sequence.
bool may_be_member(const Facts& facts, EventIndex head, EventIndex write) {
  if (facts.events[write].rmw) return true;
  return facts.host().has_host_threads && facts.on_host.has(head) &&
         facts.events[write].agent == facts.events[head].agent;
}

// The sequence goes on over read-modify-writes as long as no other write comes between: an event is in
// it if all that comes after the head and not after the event is a read-modify-write. Members are
// mutually ordered with the head because its scoped modification order relates nothing else.
void add_sequence(const Facts& facts, EventIndex head, Relation& sequences) {
  sequences.add(head, head);
  // A growing execution may still put a write before any member but the head.
  if (facts.partial) return;
  const EventSet after = facts.modification_order.successors(head);
  after.for_each([&](EventIndex member) {
    bool continuous = may_be_member(facts, head, member);
    after.for_each([&](EventIndex between) {
      if (facts.modification_order.has(between, member) && !may_be_member(facts, head, between)) continuous = false;
    });
    if (continuous) sequences.add(head, member);
  });
}

}  // namespace

//= vk:memory-model-release-sequence
void derive_release_sequences(Facts& facts) {
  facts.release_sequence.reset(facts.size());
  facts.hypothetical_release_sequence.reset(facts.size());
  const EventSet heads = facts.atomics & facts.writes;
  heads.for_each([&](EventIndex head) {
    add_sequence(facts, head, facts.hypothetical_release_sequence);
    if (facts.events[head].release) facts.release_sequence.add_row(head, facts.hypothetical_release_sequence, head);
  });
}

}  // namespace heddle::judge
