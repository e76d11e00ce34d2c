#include <algorithm>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

bool has_storage_of(const EventFacts& barrier, const EventFacts& atomic) {
  return atomic.storage != MemorySemantics::None && has(barrier.mask, atomic.storage);
}

// `x` is an atomic write, `y` an atomic read that takes its value from the (hypothetical) release
// sequence that `x` heads, and `y` is mutually ordered with both `x` and the write it reads. Release barriers before
// `x` and acquire barriers after `y` may stand in for them.
// Tags say nothing here.
//= mmra:synchronizes-with
//= vk:memory-model-synchronizes-with
void add_through_atomics(Facts& facts, EventIndex x, EventIndex y) {
  const EventFacts& write = facts.events[x];
  const EventFacts& read = facts.events[y];

  // Atomic to atomic.
  if (write.release && read.acquire) facts.synchronizes.add(x, y);

  const auto has_storage_of_both = [&](EventIndex barrier) {
    return has_storage_of(facts.events[barrier], write) && has_storage_of(facts.events[barrier], read);
  };

  // Release barrier to atomic.
  const EventSet release_barriers =
      facts.fences & facts.releases & facts.of_agent[static_cast<std::size_t>(write.agent)];
  const EventSet acquire_barriers =
      facts.fences & facts.acquires & facts.of_agent[static_cast<std::size_t>(read.agent)];
  release_barriers.for_each([&](EventIndex a) {
    if (!read.acquire || !facts.program_order.has(a, x)) return;
    if (facts.in_scope.has(a, y) && has_storage_of(facts.events[a], write)) facts.synchronizes.add(a, y);
  });

  // Atomic to acquire barrier.
  acquire_barriers.for_each([&](EventIndex b) {
    if (!write.release || !facts.program_order.has(y, b)) return;
    if (facts.in_scope.has(x, b) && has_storage_of(facts.events[b], read)) facts.synchronizes.add(x, b);
  });

  // Release barrier to acquire barrier: both have the storage classes of both atomics. These differ
  // only where one variable is accessed through two storage classes.
  release_barriers.for_each([&](EventIndex a) {
    if (!facts.program_order.has(a, x) || !has_storage_of_both(a)) return;
    acquire_barriers.for_each([&](EventIndex b) {
      if (!facts.program_order.has(y, b) || !has_storage_of_both(b)) return;
      if (a != b && facts.in_scope.has(a, b)) facts.synchronizes.add(a, b);
    });
  });
}

void add_through_atomics(Facts& facts) {
  facts.atomics.for_each([&](EventIndex y) {
    if (!facts.events[y].reads) return;
    facts.atomics.for_each([&](EventIndex x) {
      if (!facts.events[x].writes || !facts.mutually_ordered.has(x, y)) return;
      bool reads_from_sequence = false;
      facts.hypothetical_release_sequence.for_each_successor(x, [&](EventIndex member) {
        // Atomics that are not mutually ordered are to each other as if they were not atomic, so a
        // read of such a member synchronizes with nothing.
        //= vk:memory-model-atomic-operation
        reads_from_sequence =
            reads_from_sequence || (facts.reads_from.has(member, y) && facts.mutually_ordered.has(member, y));
      });
      if (reads_from_sequence) add_through_atomics(facts, x, y);
    });
  });
}

// At a barrier with a quorum only the synchronizing arrivals release.
bool synchronizes_at_barrier(const Facts& facts, EventIndex arrival) {
  const Operation& op = facts.operation(arrival);
  for (const model::QuorumChoice& choice : facts.execution->quorum_choices) {
    if (choice.barrier_instance != op.barrier_instance) continue;
    return std::find(choice.synchronizing.begin(), choice.synchronizing.end(), facts.events[arrival].operation) !=
           choice.synchronizing.end();
  }
  return true;
}

void derive_meetings(Facts& facts) {
  facts.meets_at_barrier.reset(facts.size());
  for (EventIndex a = 0; a < facts.size(); ++a) {
    if (!facts.events[a].control_barrier || !synchronizes_at_barrier(facts, a)) continue;
    for (EventIndex b = 0; b < facts.size(); ++b)
      if (facts.events[b].control_barrier && facts.operation(a).barrier_instance == facts.operation(b).barrier_instance)
        facts.meets_at_barrier.add(a, b);
  }
}

bool program_ordered_or_same(const Facts& facts, EventIndex a, EventIndex b) {
  return a == b || facts.program_order.has(a, b);
}

// The two ends, and the two arrivals at the control barrier, have to be in each other's scopes; and
// the ends in the control barrier's execution scope.
//= vk:memory-model-synchronizes-with
void add_through_control_barrier(Facts& facts, EventIndex from, EventIndex to) {
  if (!facts.in_scope.has(from, to)) return;
  const EventSet& in_execution_scope =
      facts.instance(facts.events[from].agent, level_of(facts.operation(from).execution_scope));
  if (!in_execution_scope.has(to)) return;
  (facts.fences & facts.releases).for_each([&](EventIndex a) {
    if (!program_ordered_or_same(facts, a, from)) return;
    (facts.fences & facts.acquires).for_each([&](EventIndex b) {
      if (a == b || !program_ordered_or_same(facts, to, b)) return;
      if (facts.in_scope.has(a, b)) facts.synchronizes.add(a, b);
    });
  });
}

// Fragment shader interlock needs neither storage classes nor scopes of its own.
//= vk:memory-model-synchronizes-with
void add_interlock(Facts& facts) {
  for (const model::AgentPair& pair : facts.execution->interlock_order) {
    const EventSet& after = facts.of_agent[static_cast<std::size_t>(pair.second)];
    facts.of_agent[static_cast<std::size_t>(pair.first)].for_each([&](EventIndex a) {
      if (facts.operation(a).kind != OperationKind::EndInvocationInterlock) return;
      after.for_each([&](EventIndex b) {
        if (facts.operation(b).kind == OperationKind::BeginInvocationInterlock) facts.synchronizes.add(a, b);
      });
    });
  }
}

//= vk:memory-model-synchronizes-with
void add_through_shader_calls(Facts& facts) {
  (facts.fences & facts.releases).for_each([&](EventIndex a) {
    (facts.fences & facts.acquires).for_each([&](EventIndex b) {
      if (facts.shader_call_order.has(a, b) && facts.in_scope.has(a, b)) facts.synchronizes.add(a, b);
    });
  });
}

}  // namespace

//= vk:memory-model-synchronizes-with
void derive_synchronizes_with(Facts& facts) {
  facts.synchronizes.reset(facts.size());
  add_through_atomics(facts);
  derive_meetings(facts);
  facts.meets_at_barrier.for_each(
      [&](EventIndex from, EventIndex to) { add_through_control_barrier(facts, from, to); });
  add_interlock(facts);
  add_through_shader_calls(facts);
}

}  // namespace heddle::judge
