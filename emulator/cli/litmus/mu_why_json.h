#pragma once

/// \file
/// What `heddle litmus --json --why` adds to the line of a C or Mu test.

#include "emulator/cli/litmus/machine_json.h"

namespace heddle::cli {

struct MuReport;

/// `graphs`, `rows` and `undefined` as emulator/lab/PROTOCOL.md has them. The answer was asked for with
/// Question::keep_examples.
Json mu_reasons_of(const MuReport& report, const litmus::Question& question);

}  // namespace heddle::cli
