#pragma once

/// \file
/// Control barriers that stand between two operations and let one invocation pass without the other.

#include <optional>

#include "emulator/model/execution.h"

namespace heddle::advice {

/// Whether `barrier`, a control barrier, does not let two agents of one workgroup wait for each other: they are in
/// two subgroups, and it is one of subgroups.
bool is_too_narrow(const model::Execution& execution, const Operation& barrier, AgentId a, AgentId b);

/// The last such barrier that agent of `second` passed before it, and the agent of `first` after that, in the same
/// line and as the same one of its executions of this line. Nothing if there is none.
std::optional<model::OperationIndex> narrow_barrier_between(const model::Execution& execution,
                                                            model::OperationIndex first, model::OperationIndex second);

/// All executions of this control barrier are those of a whole workgroup: each invocation's first one is one with
/// the others' first ones, and so on. Makes its memory scope that of the workgroup, too, if that is narrower.
void widen_to_workgroup(model::Execution& execution, const Operation& barrier);

}  // namespace heddle::advice
