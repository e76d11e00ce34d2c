#pragma once

/// \file
/// What `heddle litmus --json --why` adds to the line of a file.

#include <string>

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::cli {

/// The reasons behind an answer, for programs that draw them: `graphs` with an execution of each outcome that has one,
/// `race` with the execution, the two operations, the first missing link and the changes that leave the test without
/// this race, each with the edits of the text that make it; `forbidden` with the reason why no execution ends as the
/// assertion says; `rows` with what forbids the outcomes that come near. `answer` was asked for with
/// Question::keep_examples; `source` is the text of the test.
Json reasons_of(const std::string& source, const litmus::Test& test, const litmus::Answer& answer,
                const litmus::Question& question);

}  // namespace heddle::cli
