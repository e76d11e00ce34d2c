#pragma once

/// \file
/// How a program tells `heddle races` what its devices found, while it runs: one line a record, which has texts byte by
/// byte.

#include <string>

#include "emulator/report/collector.h"

namespace heddle::report {

std::string record(RunId run);
std::string record(RunId run, const DataRace& race);
std::string record(RunId run, const Revised& revised);
std::string record(RunId run, const OrderingUse& use);
std::string record(RunId run, const RecordedRuns& recorded);
std::string record(RunId run, const Remark& remark);
std::string record(RunId run, const FailedDispatch& failed);

/// Adds the records of a text. A last line without an end, of a program that was killed, is left
/// out. Throws std::runtime_error for anything else that is no record.
void read_records(const std::string& text, Collector& collector);

}  // namespace heddle::report
