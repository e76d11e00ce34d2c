#pragma once

/// \file
/// What a barrier or an atomic orders: the part of its record that clocks ask for.

#include "emulator/race/chain_clocks.h"

namespace heddle::race {

struct Ordering {
  Classes mask = 0;
  Level level = kOwn;
  Level execution = kOwn;
  bool acquires = false;
  bool releases = false;
  bool makes_available = false;
  bool makes_visible = false;
  BulkOperation bulk() const { return {mask, level}; }
  friend bool operator==(const Ordering&, const Ordering&) = default;
};

inline Ordering ordering_of(const Operation& op) {
  Ordering ordering;
  ordering.acquires = acquires(op.semantics);
  ordering.releases = releases(op.semantics);
  if (ordering.acquires || ordering.releases) ordering.mask = classes_of(op.semantics);
  ordering.level = level_of(op.scope);
  ordering.execution = level_of(op.execution_scope);
  ordering.makes_available = ordering.releases && has(op.semantics, MemorySemantics::MakeAvailable);
  ordering.makes_visible = ordering.acquires && has(op.semantics, MemorySemantics::MakeVisible);
  return ordering;
}

}  // namespace heddle::race
