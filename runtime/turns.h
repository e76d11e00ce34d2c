#pragma once

/// \file
/// Whose turn it is in a workgroup that runs as a ring: the invocations go on one after the other, by number, there and
/// back again. The scheduler makes the switches (runtime/rings.cpp).

#include "runtime/fiber.h"
#include "runtime/group.h"
#include "runtime/same_place.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::runtime {

/// The ring of a worker. The stacks and fibers stay in it from one workgroup to the next of the same size.
class Turns {
 public:
  explicit Turns(const ExceptionGlobals* exceptions) { ring_.exceptions = exceptions; }

  Ring& ring() { return ring_; }
  const Ring& ring() const { return ring_; }
  /// Whether the second turn already goes back, as for every other worker of a dispatch.
  void turn_around_at_once(bool at_once) { turns_around_at_once_ = at_once; }

  /// How many invocations the stacks in the ring are for; 0: it is empty. The stack of the first one is the
  /// workgroup's.
  std::uint32_t size() const { return size_; }
  /// Makes room for the stacks of `size` invocations. It is empty before.
  void make_room(std::uint32_t size);
  void put(std::uint32_t index, Fiber* fiber) {
    fibers_[index] = fiber;
    ring_.begin[index] = fiber->parked;
  }
  /// The stacks are at something else from now on.
  void empty() { size_ = 0; }
  Fiber* fiber(std::uint32_t index) const { return fibers_[index]; }

  /// A workgroup of that size begins its first turn.
  void begin(Group& g);
  /// The workgroup is no ring any more, or has ended.
  void forget(Group& g);

  // The turn that goes on:
  /// The number of the running invocation.
  std::uint32_t index() const { return static_cast<std::uint32_t>(ring_.current - ring_.begin); }
  bool at_first() const { return ring_.current == ring_.first; }
  bool at_last() const { return ring_.current == ring_.last; }
  bool is_of_subgroups() const { return (ring_.line & kSubgroupTurn) != 0; }
  /// Whether the running invocation is where the turn leads to. The first one says where that is.
  bool is_regular(const SourceLocation& where, std::uint32_t line) const {
    return ring_.exceptions->none() &&
           (at_first() || (line == ring_.line && same_place(where, {ring_.file, nullptr, where.line})));
  }
  void leads_to(const SourceLocation& where, std::uint32_t line);
  /// The invocation after the running one is the running one. Behind the last one the next turn begins. Whose stack
  /// goes on; null: the running one, which begins the next turn.
  Context* advance(Group& g);
  /// Whether invocation `index`, at one that is out of step, has had its turn.
  bool had_turn(std::uint32_t index, std::uint32_t out_of_step) const {
    return ring_.step > 0 ? index < out_of_step : index > out_of_step;
  }

  // The last turn, in which invocations end:
  /// Whether the kernel may end for all, as it did for the running invocation.
  bool may_begin_last(const Group& g) const { return at_first() && !g.first_turn && !ring_.unwinding; }
  /// The running invocation is the first one to end: so will the others. `more`: there are more workgroups to run.
  void begin_last(bool more) { ring_.line = more ? kTheEnd : kHome; }
  bool in_last() const { return ring_.line == kTheEnd || ring_.line == kHome; }
  /// Whether the stacks leave the ring in this turn, for the dispatch has nothing more for them.
  bool leads_home() const { return ring_.line == kHome; }

  // A turn to a subgroup operation:
  /// The running invocation is the first one of such a turn, and of its subgroup.
  void begin_operation(const Group& g, std::uint32_t subgroup, SubgroupFunction function);
  /// What the running invocation gives to the operation. True: it is the last one of its subgroup.
  bool give(void* payload) {
    ring_.payloads[index()] = payload;
    return ring_.current == ring_.last_lane;
  }
  void** payloads(std::uint32_t first) { return ring_.payloads + first; }
  /// `subgroup` has computed: says who computes next, in this turn or the one after it.
  void computed(const Group& g, std::uint32_t subgroup) { ring_.last_lane = next_last_lane(g, subgroup); }

 private:
  /// Whether the turn after this one goes the other way.
  bool turns_around(const Group& g) const { return !g.first_turn || turns_around_at_once_; }
  Context* last_lane(const Group& g, std::uint32_t subgroup, std::ptrdiff_t step) const;
  Context* next_last_lane(const Group& g, std::uint32_t subgroup) const;

  Ring ring_;
  std::vector<Context> contexts_;
  std::vector<Fiber*> fibers_;
  std::vector<void*> payloads_;
  std::uint32_t size_ = 0;
  bool turns_around_at_once_ = true;
};

}  // namespace heddle::runtime
