#pragma once

/// \file
/// The instructions of GLSL.std.450 as computations of scalars.

#include "emulator/spirv/expand.h"

namespace heddle::spirv {

/// As expand(), for an OpExtInst of GLSL.std.450: its words begin with the set. Not for Modf and Frexp, which store.
/// Throws Error for an instruction that is not computed.
std::vector<Ref> expand_glsl(Sink& sink, Types& types, const Expression& expression);

}  // namespace heddle::spirv
