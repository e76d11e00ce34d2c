#pragma once

/// \file
/// The state of a session as the protocol (PROTOCOL.md) spells it.

#include "emulator/lab/reasons.h"
#include "emulator/lab/session.h"

namespace heddle::lab {

/// All of the state, but for the file's name and text.
Json state_json(Session& session);
/// Values by the names of the test's observables.
Json outcome_json(const Played& played, const Outcome& outcome);
Json cycle_json(const Chronicle& chronicle, const std::vector<CycleLink>& cycle);
Json source_json(const Session& session, const ValueSource& source);
/// The step of an operation of the game; null for the initial value.
Json step_json(const Chronicle& chronicle, OperationIndex operation);

}  // namespace heddle::lab
