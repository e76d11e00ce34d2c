#pragma once

/// \file
/// Constants that are computed of constants.

#include "emulator/spirv/types.h"

namespace heddle::spirv {

/// The bits of an OpSpecConstantOp. Throws Error for one that has no value.
std::vector<std::uint64_t> fold_constant(Types& types, const Instruction& constant);

}  // namespace heddle::spirv
