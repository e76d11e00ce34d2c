#pragma once

/// \file
/// Reports whose texts every format takes.

#include <heddle/report.h>

namespace heddle::report {

/// The race with all its texts on one line each, as text::readable makes them: names come from the program, reasons of
/// suppressions from a file, the command that replays it from whoever started the program. Files and functions stay as
/// they are, so that lines of source are found: `place` and `short_path` make them readable.
DataRace readable(DataRace race);

/// The report with all its texts made readable; remarks may have several lines.
RaceReport readable(RaceReport report);

}  // namespace heddle::report
