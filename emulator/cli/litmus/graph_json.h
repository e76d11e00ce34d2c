#pragma once

/// \file
/// An execution of a litmus test as a graph, for programs that draw it.

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::cli {

/// `operations` in program order, thread by thread, and `edges` between their numbers, with -1 for the initial value.
/// Edges that others imply are left out as in the pictures of `--dot`; they are in `more`, with from-reads and
/// happens-before.
Json graph_of(const litmus::Test& test, const judge::Judgement& judgement);

}  // namespace heddle::cli
