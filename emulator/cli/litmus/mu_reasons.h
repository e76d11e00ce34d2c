#pragma once

/// \file
/// How reports on C and Mu litmus tests name events, and what they say of undefined behaviour.

#include <string>

#include "emulator/litmus/c/answer.h"

namespace heddle::cli {

struct MuReport;

/// "P1's `atomic_load(x)` (line 7)"; "the initial value" for none.
std::string event_name(const litmus::c::Test& test, const mu::Execution& execution, mu::EventIndex event);

/// What is undefined in an example of the answer, in a sentence.
std::string undefined_text(const MuReport& report, const litmus::c::Example& example);

}  // namespace heddle::cli
