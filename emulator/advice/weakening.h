#pragma once

/// \file
/// Orderings made weaker than the source has them.

#include <functional>
#include <string>
#include <vector>

#include "emulator/model/execution.h"

namespace heddle::advice {

/// How much of an ordering is left.
enum class Weakness : std::uint8_t {
  NarrowerScope,
  /// Without MakeAvailable, MakeVisible or a storage class.
  LessMask,
  /// Release or Acquire of AcquireRelease.
  Half,
  /// Nothing but the operation itself.
  Relaxed,
  /// Not even that.
  Removed,
  /// With tags by which it leaves out the accesses to one buffer.
  Tags,
};

/// One instruction made weaker, in all its executions.
struct Weakening {
  /// One of the operations.
  Operation instruction;
  Weakness weakness = Weakness::LessMask;
  /// "Workgroup instead of Device", "without MakeAvailable", "no such barrier" ...
  std::string enough;
  std::function<void(Operation&)> weaken;
  /// What changes in the operations of other instructions; empty if nothing does.
  std::function<void(Operation&)> change_others = {};

  /// Removed operations are left out, with all that refers to them.
  model::Execution apply(const model::Execution& execution) const;
};

/// The weakenings of every atomic and barrier, each instruction once. Tags are offered for barriers alone, and where
/// of a storage class that a barrier orders there are plain accesses to several buffers: what a mask can say, tags need
/// not.
std::vector<Weakening> weakenings(const model::Execution& execution);

}  // namespace heddle::advice
