#pragma once

/// \file
/// Workgroups that run as rings: the fast way to run kernels whose invocations all come to the same barriers.
///
/// The invocations take turns in the order of their numbers, there and back again. In a turn each of
/// them runs from where it waits to the next barrier, and there hands over to the next; when the last
/// one has come to the barrier, all have, and it begins the next turn, which goes the other way: what
/// ran last is still in the cache. So arrivals need not be counted, and no search is needed for one that
/// can go on. Every other worker goes its first two turns the same way, so that two workers go
/// opposite ways from then on: where invocations write the same memory in the order of their numbers
/// (the bins of a histogram), they meet once instead of taking line after line from each other. The
/// first turn starts the invocations, the last one ends them; between workgroups the fibers wait in the ring, inside of
/// the function that runs the kernel (detail::run_native_turns in heddle/detail/launch.h), so that starting an
/// invocation is the same switch as going on after a barrier, and nothing is called or returned from.
///
/// As soon as an invocation does anything else (ends while others are at a barrier, comes to another
/// barrier, polls, throws ...) the ring is given up: slots are made that say where each invocation
/// stands, and the scheduler goes on with the workgroup.

#include "runtime/admission.h"
#include "runtime/meetings.h"
#include "runtime/patience.h"
#include "runtime/running.h"
#include "runtime/stacks.h"
#include "runtime/turns.h"

namespace heddle::runtime {

/// Makes the switches of workgroups that are rings. Whose turn it is says `Turns`.
class Rings {
 public:
  Rings(Running& now, Turns& turns, Stacks& stacks, Meetings& meetings, Patience& patience, const Admission& admission)
      : now_(now), turns_(turns), stacks_(stacks), meetings_(meetings), patience_(patience), admission_(admission) {}

  /// The first invocation of `g` waits, in step, on the workgroup's own stack: `g` is a ring from now on. Throws what
  /// `FiberPool::make` throws; then the ring is empty.
  void begin(Group& g);
  /// The invocation that runs on the workgroup's own stack, the first one by number, has ended. The workgroup is no
  /// ring when it returns.
  void end(Group& g);
  /// The running invocation is out of step: `g` is no ring any more.
  void leave(Group& g);
  /// The stacks that wait in the ring are at nothing from now on.
  void give_back();

  // In these the other invocations may run before they return; who called is to unwind if the dispatch failed
  // meanwhile:
  /// A barrier, as a turn: the slow form; kernels do the same inline (heddle/detail/switch.h). False if it is no turn.
  bool wait_in_turn(Group& g, const SourceLocation& where);
  /// A subgroup operation as a turn of the whole workgroup: the last lane of each subgroup computes
  /// for all of it, and no invocation goes on before all subgroups have come. False if it is no turn.
  bool compute_in_turn(Group& g, const SourceLocation& where, SubgroupFunction function, void* payload);

  /// The slow form of the last turn. False if the running invocation ended out of turn.
  bool invocation_ended();
  /// The running invocation has ended, and the dispatch has nothing more for its fiber. False if the
  /// invocation ended out of turn.
  bool go_home(Fiber* self);

  /// The fiber of the running invocation, which has its turn.
  Fiber* running_fiber() const { return turns_.index() == 0 ? now_.group->driver_fiber : turns_.fiber(turns_.index()); }

 private:
  Ring& ring() { return turns_.ring(); }
  void fill(std::uint32_t size);
  void take_turn(Group& g);
  void wait_after_turn(Group& g, std::uint32_t index, std::uint32_t irregular, std::uint32_t line);

  Running& now_;
  Turns& turns_;
  Stacks& stacks_;
  Meetings& meetings_;
  Patience& patience_;
  const Admission& admission_;
};

}  // namespace heddle::runtime
