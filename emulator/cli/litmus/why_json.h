#pragma once

/// \file
/// What `heddle litmus --json --why` adds to the line of a file.

#include <string>

#include "emulator/cli/litmus/machine_json.h"

namespace heddle::litmus {
struct Question;
}

namespace heddle::cli {

struct LitmusReport;

/// The reasons behind an answer, for programs that draw them: `graphs` with an execution of each outcome that has one,
/// `race` with the execution, the two operations, the first missing link and the changes that leave the test without
/// this race, each with the edits of the text that make it; `forbidden` with the reason why no execution ends as the
/// assertion says; `rows` with what forbids the outcomes that come near. The report has an answer of a test of the
/// Vulkan dialect, which was asked for with Question::keep_examples.
Json reasons_of(const LitmusReport& report, const litmus::Question& question);

}  // namespace heddle::cli
