#pragma once

/// \file
/// Changes as edits of the program, for it to be run with each: those that ordered two accesses in the part of a run
/// that was recorded, and others that the part alone cannot judge.

#include <heddle/report.h>

#include <vector>

#include "emulator/advice/changes.h"

namespace heddle::advice {

/// Likeliest first. What cannot be said as edits has none.
std::vector<CandidateChange> candidates(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                                        const Changes& found, const ChangeOptions& options);

}  // namespace heddle::advice
