#pragma once

/// \file
/// Which outcomes a litmus test may have, and what forbids the others, for programs that draw it.

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::cli {

/// Adds `rows` and `rows_complete`, as emulator/lab/PROTOCOL.md has them: the outcomes of `answer`, which are asked
/// about first, and those that come near.
void add_rows(const litmus::Test& test, const litmus::Answer& answer, const litmus::Question& question, Json& out);

}  // namespace heddle::cli
