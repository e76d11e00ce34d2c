#pragma once

/// \file
/// What the environment says about looking for data races.

#include <heddle/device_options.h>

#include <optional>
#include <string>

namespace heddle::watch {

/// How a program tells of its races at its end.
struct RaceOutput {
  /// For `heddle races`: records, while the program runs, and no report.
  bool records = false;
  ReportFormat format = ReportFormat::Text;
};

/// What HEDDLE_RACES asks for; nothing if it is not set, or 0. Throws std::invalid_argument.
std::optional<RaceOutput> wanted_output();

/// HEDDLE_RACES_FILE; empty if it is not set.
std::string output_file();

/// HEDDLE_RACES_FROM, the number of the first operation that is remembered to try changes; 0 if it is not set. Throws
/// std::invalid_argument.
std::uint32_t remembered_from();

/// HEDDLE_RACES_ALL: whether each pair of lines that races is to be told, and changes are to be tried for each, however
/// many there are. Throws std::invalid_argument.
bool wants_all_races();

/// Whether races are explained: changes of the recorded run, and the calls that led there. Not where
/// HEDDLE_RACES_CHANGES is 0, nor within RacesOnlyFound. Throws std::invalid_argument.
bool explains_races();

/// As long as it lives, devices that this thread makes find races and explain none.
class RacesOnlyFound {
 public:
  RacesOnlyFound();
  ~RacesOnlyFound();
  RacesOnlyFound(const RacesOnlyFound&) = delete;
  RacesOnlyFound& operator=(const RacesOnlyFound&) = delete;
};

/// Fills in what the options leave to the environment. Throws std::invalid_argument.
void add_race_settings(DeviceOptions& options);

/// Throws std::invalid_argument for complete options that want something else together with races on many
/// threads that needs one order of everything. `asked`: the options themselves wanted these, not the environment.
void check_parallel(const DeviceOptions& options, bool asked);

}  // namespace heddle::watch
