#pragma once

/// \file
/// Which accesses the memory operations of a dependency are about.

#include "emulator/model/dependency.h"

namespace heddle::model {

/// The command that an agent belongs to, and the dependency whose operations are an agent's; null without one.
const Command* command_of(const HostSide& host, AgentId agent);
const Dependency* dependency_of(const HostSide& host, AgentId agent);

/// The kind of an access that a command's agent makes: of its write, or of its read.
Accesses kind_of(const HostSide& host, const Command& command, const Operation& access, bool writes);

/// Whether the source scope of the dependency's availability operation includes what the access writes, or the
/// destination scope of its visibility operation what it reads.
//= vk:memory-model-vulkan-availability-visibility
bool makes_available(const HostSide& host, const Dependency& dependency, const Command& command,
                     const Operation& access);
bool makes_visible(const HostSide& host, const Dependency& dependency, const Command& command, const Operation& access);

}  // namespace heddle::model
