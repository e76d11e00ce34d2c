#pragma once

/// \file
/// Races of modules in the words of their source.

#include <heddle/report.h>

#include <vector>

namespace heddle::spirv {

/// The changes of a race as GLSL has them, where the module is of the GLSL450 memory model: what SPIR-V's operands and
/// semantics say there a declaration says (`coherent`), and what GLSL cannot say is left out. In another model the
/// words are SPIR-V's.
void reword_changes(DataRace& race, bool glsl);

}  // namespace heddle::spirv
