#pragma once

/// \file
/// The tokens of an instruction of the `.test` format.

#include <heddle/operation.h>

#include "emulator/litmus/token.h"

namespace heddle::litmus::khronos {

/// The operation that `ld.atom.acq.scopewg.sc0.semsc0` and its like describe; tokens come in any
/// order. Throws ParseError for an unknown token or a combination without a meaning.
Operation khronos_operation(const Token& word);

}  // namespace heddle::litmus::khronos
