#pragma once

/// \file
/// Workgroup memory of one workgroup after the other.

#include "emulator/model/execution.h"

namespace heddle::advice {

/// Gives the Workgroup memory of each workgroup a number of its own: a device uses that of a workgroup that has
/// ended again. (No reference is to that of two workgroups.)
void separate_workgroup_memory(model::Execution& execution);

}  // namespace heddle::advice
