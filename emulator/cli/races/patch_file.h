#pragma once

/// \file
/// The changes of a report as a patch of the source.

#include <heddle/report.h>

#include <string>

#include "emulator/cli/races/repeated_program.h"

namespace heddle::cli {

/// Writes the changes that make the program clean together to the file `path`, as a unified diff, and says on standard
/// error what came of it: what is to be typed instead, or why there is no patch. A file that is there already is left
/// as it is, and so is what the patch would be of a source that is younger than the program.
void write_patch(const RaceReport& report, const TriedChanges& tried, const std::string& program,
                 const std::string& path);

}  // namespace heddle::cli
