#pragma once

/// \file
/// Floating-point computations: the part of arithmetic.h that rounds.

#include "emulator/spirv/arithmetic.h"

namespace heddle::spirv {

/// Opcodes of SPIR-V itself.
Meaning compute_float(const Computation& computation, std::span<const std::uint64_t> arguments, std::uint64_t& result);
/// The Extras that are about floats.
Meaning compute_float_extra(const Computation& computation, std::span<const std::uint64_t> arguments,
                            std::uint64_t& result);

}  // namespace heddle::spirv
