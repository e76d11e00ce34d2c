#pragma once

/// \file
/// What an execution would have to have differently for something to hold of it.

#include <functional>
#include <optional>
#include <vector>

#include "emulator/judge/facts.h"

namespace heddle::judge {

/// The edit that makes an operation order more; nothing where it does so already.
using Repair = std::function<std::optional<Edit>(const Operation&)>;

/// Scopes of Device and more, of the operation and of its access's own availability and visibility operations.
Repair with_wide_scopes();
/// The storage classes of all accesses of the execution in the mask of each acquire and release.
Repair with_all_storage_classes(const model::Execution& execution);

/// MakeAvailable of each release, or MakeVisible of each acquire, of all agents but one.
Repair with_available_releases(AgentId but);
Repair with_visible_acquires(AgentId but);

/// No tags.
Repair without_tags();

/// What is asked of an execution that was repaired.
using Holds = std::function<bool(const Facts&)>;

/// The edits of operations, ascending, of which all have to be made; if they are, it holds. Nothing if it does not even
/// hold when all operations are repaired.
std::optional<std::vector<OperationEdit>> least_repair(const model::Execution& execution, const Options& options,
                                                       const Repair& repair, const Holds& holds);

}  // namespace heddle::judge
