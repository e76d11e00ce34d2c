#pragma once

/// \file
/// How a program tells `heddle races` what its devices found, while it runs: one line a record, which has texts byte by
/// byte.

#include <optional>
#include <string>

#include "emulator/report/collector.h"

namespace heddle::report {

std::string record(RunId run);
std::string record(RunId run, const DataRace& race);
std::string record(RunId run, const Revised& revised);
std::string record(RunId run, const OrderingUse& use);
std::string record(RunId run, const RecordedRuns& recorded);
std::string record(RunId run, const Remark& remark);
std::string record(RunId run, const Relied& relied);
std::string record(RunId run, const FailedDispatch& failed);

/// The race that a record has; nothing for a record of another kind. Throws std::runtime_error for what is no record.
std::optional<DataRace> race_of(const std::string& record);

/// Adds the records of a text. A last line without an end, of a program that was killed, is left
/// out. Throws std::runtime_error for anything else that is no record.
void read_records(const std::string& text, Collector& collector);

}  // namespace heddle::report
