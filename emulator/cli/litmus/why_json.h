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
/// assertion says. `answer` was asked for with Question::keep_examples; `source` is the text of the test.
Json reasons_of(const std::string& source, const litmus::Test& test, const litmus::Answer& answer,
                const litmus::Question& question);

/// An execution as a graph: `operations` in program order, thread by thread, and `edges` between their numbers, with -1
/// for the initial value. Edges that others imply are left out as in the pictures of `--dot`.
Json graph_of(const litmus::Test& test, const judge::Judgement& judgement);

}  // namespace heddle::cli
