#pragma once

/// \file
/// The state of a session as the protocol (PROTOCOL.md) spells it.

#include <nlohmann/json.hpp>

#include "emulator/lab/reasons.h"
#include "emulator/lab/session.h"

namespace heddle::lab {

using Json = nlohmann::ordered_json;

/// All of the state, but for the file's name and text.
Json state_json(Session& session);
/// Values by the names of the test's observables.
Json outcome_json(const litmus::Test& test, const litmus::Outcome& outcome);
Json cycle_json(const std::vector<CycleLink>& cycle);
Json source_json(const litmus::Test& test, const ValueSource& source);
/// A number of an operation; null for the initial value.
Json write_json(OperationIndex write);

}  // namespace heddle::lab
