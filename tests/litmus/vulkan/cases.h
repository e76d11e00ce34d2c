#pragma once

/// \file
/// Tests with the answers that are expected of them, in directories.

#include <string>

/// Each file of tests/litmus/NAME with its answer in expected.jsonl there, with availability and visibility chains or
/// without.
void check_cases(const std::string& name, int files, bool chains);
