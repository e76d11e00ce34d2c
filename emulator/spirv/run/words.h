#pragma once

/// \file
/// Races of modules in the words of their source.

#include <heddle/operation.h>
#include <heddle/report.h>

#include <optional>
#include <string>

namespace heddle::spirv {

/// The changes of a race as GLSL has them, where the module is of the GLSL450 memory model: what SPIR-V's operands and
/// semantics say there a declaration says (`coherent`), and what GLSL cannot say is left out. In another model the
/// words are SPIR-V's.
void reword_changes(DataRace& race, bool glsl);

/// A fence or a barrier as GLSL calls it ("memoryBarrierBuffer()"), with scopes and semantics where they are others
/// than a call without arguments has; nothing for other operations.
std::optional<std::string> glsl_call(const Operation& operation);

}  // namespace heddle::spirv
