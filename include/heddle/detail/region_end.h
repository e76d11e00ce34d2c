#pragma once

/// \file
/// What happens at the end of a region of a kernel in phases.

#include <heddle/semantics.h>
#include <heddle/tags.h>

namespace heddle {

/// A barrier of the workgroup with memory semantics, or nothing.
class RegionEnd {
 public:
  using RulesOf = ControlBarrierSemantics::RulesOf;

  /// The semantics of a control barrier, checked as those are.
  template <std::same_as<MemorySemantics> V>
  consteval RegionEnd(const V& semantics) HEDDLE_REFUSED(RulesOf, semantics)
      : RegionEnd(semantics, detail::problem_of<RulesOf>(semantics, __builtin_constant_p(semantics))) {}
  consteval RegionEnd(const MemorySemantics& semantics, detail::Problem problem)
      : semantics_(semantics, problem), waits_(true) {}
  RegionEnd(Dynamic<MemorySemantics> semantics) : semantics_(semantics), waits_(true) {}
  static constexpr RegionEnd nothing() { return RegionEnd(); }

  constexpr bool waits() const { return waits_; }
  constexpr MemorySemantics semantics() const { return semantics_; }

 private:
  constexpr RegionEnd() = default;
  ControlBarrierSemantics semantics_ = MemorySemantics::Relaxed;
  bool waits_ = false;
};

/// `group.each(f, kNoBarrier)`: the next region may begin in one invocation before this one has ended in others.
inline constexpr RegionEnd kNoBarrier = RegionEnd::nothing();

}  // namespace heddle
