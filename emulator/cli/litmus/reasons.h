#pragma once

/// \file
/// Why: the reasons behind the verdicts of `heddle litmus`.

#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::cli {

/// The text with a capital at its beginning and a full stop at its end.
std::string as_sentence(std::string text);

/// How a report names an operation of an execution: "P0's `st.sc0 x, 1` (line 7)".
judge::NameOfOperation name_operations(const litmus::Test& test, const model::Execution& execution);

/// The race: both operations with their lines, and the first missing link. One or more lines.
std::string explain_race(const litmus::Test& test, const judge::Judgement& judgement, const litmus::RaceExample& race,
                         const judge::NameOfOperation& name_of);

/// The other races of the racy test, which was parsed from `source`; where executions with a race end as the assertion
/// asks, changes with which none ends so; and changes with which the two of the answer's example do not race in any
/// execution, each explored, with the race that is left, if one is; or that none was found. One or more lines.
std::string explain_changes(const std::string& source, const litmus::Test& test, const litmus::Question& question,
                            const litmus::Answer& answer);

/// Why no consistent execution ends in a state that the assertion (or its negation, if `negated`)
/// describes: the cycle of one that would, or which values the threads would need. One or more
/// lines.
std::string explain_forbidden(const litmus::Test& test, const litmus::Question& question, bool negated);

}  // namespace heddle::cli
