#pragma once

/// \file
/// The scalar instructions of GLSL.std.450.

#include "emulator/spirv/arithmetic.h"

namespace heddle::spirv {

/// One instruction of the set, of one component.
Meaning compute_glsl(const Computation& computation, std::span<const std::uint64_t> arguments, std::uint64_t& result);
/// How many operands it has; 0 for one that is not computed component by component.
std::size_t glsl_operands(std::uint32_t instruction);

}  // namespace heddle::spirv
