#pragma once

/// \file
/// What happens at the end of a region of a kernel in phases.

#include <heddle/semantics.h>
#include <heddle/tags.h>

namespace heddle {

/// A barrier of the workgroup with memory semantics, or nothing.
class RegionEnd {
 public:
  /// The semantics of a control barrier, checked as those are.
  consteval RegionEnd(const MemorySemantics semantics) : semantics_(ControlBarrierSemantics(semantics)), waits_(true) {}
  RegionEnd(Dynamic<MemorySemantics> semantics) : semantics_(ControlBarrierSemantics(semantics)), waits_(true) {}
  static constexpr RegionEnd nothing() { return RegionEnd(); }

  constexpr bool waits() const { return waits_; }
  constexpr MemorySemantics semantics() const { return semantics_; }

 private:
  constexpr RegionEnd() = default;
  MemorySemantics semantics_ = MemorySemantics::Relaxed;
  bool waits_ = false;
};

/// `group.each(f, kNoBarrier)`: the next region may begin in one invocation before this one has ended in others.
inline constexpr RegionEnd kNoBarrier = RegionEnd::nothing();

}  // namespace heddle
