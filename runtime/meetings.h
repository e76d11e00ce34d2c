#pragma once

/// \file
/// Where invocations of a workgroup meet: named barriers, subgroup operations, round barriers.

#include <cstdint>
#include <vector>

#include "runtime/group.h"
#include "runtime/launch.h"

namespace heddle::runtime {

/// Says who waits for whom, and lets those go on who have met; the observer of the dispatch is told of each meeting
/// before anybody goes on. It makes no switch. Model ordering: none.
class Meetings {
 public:
  /// A dispatch begins.
  void begin(const Launch& launch) { launch_ = &launch; }

  /// Tells that invocations with numbers from `first` on meet.
  void tell(Group& g, std::uint32_t first, std::uint32_t count) {
    if (launch_->observer) tell_observer(g, first, count);
  }

  enum class AtBarrier : std::uint8_t { Waits, Opens, Elsewhere };
  /// An invocation comes to the barrier of its workgroup: it waits there for others, or all have come and can go on, or
  /// the others are at another barrier, and it waits in vain.
  AtBarrier come_to_workgroup_barrier(Group& g, Slot& self, const SourceLocation& where);

  // An invocation waits from now on. True if it was the last one, and all who have met can go on:
  /// At a named barrier, for so many subgroups.
  bool come_to_named_barrier(Group& g, Slot& self, const SourceLocation& where, std::uint32_t ordinal,
                             std::uint32_t subgroups);
  /// At a subgroup operation; without a function: at a round barrier.
  bool come_to_operation(Group& g, Slot& self, const SourceLocation& where, SubgroupFunction function, void* payload);

  /// To be called where no invocation of the workgroup can go on. Lets invocations go on that wait at a subgroup
  /// operation while all other lanes are at rest, or at a round barrier. Returns whether there were any.
  bool resolve(Group& g);

 private:
  void tell_observer(Group& g, std::uint32_t first, std::uint32_t count);
  void complete_named_barrier(Group& g, std::uint32_t ordinal);
  bool resolve_subgroup(Group& g, std::uint32_t subgroup);
  bool resolve_round(Group& g);

  const Launch* launch_ = nullptr;
  /// The invocations that the barrier or operation at hand lets go.
  std::vector<std::uint32_t> meeting_;
};

}  // namespace heddle::runtime
