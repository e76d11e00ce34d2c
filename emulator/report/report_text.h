#pragma once

/// \file
/// Each format of a report.

#include <heddle/report.h>

#include <string>

namespace heddle::report {

std::string people_text(const RaceReport& report, bool colour);
std::string json_text(const RaceReport& report);
std::string sarif_text(const RaceReport& report);
std::string junit_text(const RaceReport& report);
std::string github_text(const RaceReport& report);

/// " of 42", " from 1 to 2"; empty where nothing is known.
std::string values(const RacingAccess& access);
/// ", 126 times in 3 runs"; empty for a race that came once.
std::string times(const DataRace& race);
/// "(tried: in 20 runs with it this race did not come back, and nothing new came)".
std::string tried(std::uint64_t runs);
/// What the changes are that made the program clean together, a line each; empty if there are none.
std::string together_text(const RaceReport& report);
/// "data[4].prefix"; of memory without a name "memory[4]".
std::string element(const DataRace& race);
/// One sentence: object, both accesses, reason, changes.
std::string summary(const DataRace& race);
/// "3 data races in 12 runs, 1 suppressed".
std::string summary(const RaceReport& report);
/// "line 12: Workgroup instead of Device would do" and the runs it holds for.
std::string summary(const OrderingAdvice& advice);

}  // namespace heddle::report
