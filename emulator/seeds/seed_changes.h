#pragma once

/// \file
/// Changes that are tried on the trials of a search.

#include <heddle/report.h>

#include <cstdint>
#include <vector>

#include "emulator/seeds/search.h"

namespace heddle::seeds {

/// Puts the changes into the report that mend its races in trials: those of the seeds that raced, and of seeds from
/// `first_new` on. Nothing where SeedOptions::change_budget is 0, where the trials are edited already, and where
/// HEDDLE_RACES asks for a report of the whole program, which would have what edited trials find.
void try_changes(RaceReport& report, const Search& search, std::vector<std::uint64_t> racing, std::uint64_t first_new);

}  // namespace heddle::seeds
