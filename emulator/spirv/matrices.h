#pragma once

/// \file
/// Products of vectors and matrices, as computations of scalars.

#include "emulator/spirv/expand.h"

namespace heddle::spirv {

/// As expand(), for dot products and what has a matrix in it.
std::optional<std::vector<Ref>> expand_matrices(Sink& sink, Types& types, const Expression& expression);

/// The sum of the products of two lists of floats of so many bits, from the first to the last.
Ref dot(Sink& sink, const std::vector<Ref>& a, const std::vector<Ref>& b, std::uint8_t bits);

}  // namespace heddle::spirv
