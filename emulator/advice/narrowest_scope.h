#pragma once

/// \file
/// What a scope becomes that is too narrow.

#include "emulator/model/execution.h"

namespace heddle::advice {

/// The narrowest scope whose instance has both agents: Workgroup where they are of one workgroup, else QueueFamily
/// where all agents of the execution are of one queue family (as in one dispatch), for any of them may be between the
/// two; else Device. (Device takes a feature of its own in Vulkan, vulkanMemoryModelDeviceScope.)
Scope narrowest_scope(const model::Execution& execution, model::OperationIndex first, model::OperationIndex second);

}  // namespace heddle::advice
