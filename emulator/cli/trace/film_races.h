#pragma once

/// \file
/// The data races that a trace tells of, each with the two operations, or steps of the host's side, of its example.

#include <heddle/report.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "emulator/report/collector.h"
#include "emulator/trace/components.h"

namespace heddle::cli {

/// How many operations, and steps of the host's side, a film has.
struct FilmSize {
  std::size_t operations = 0;
  std::size_t steps = 0;
};

/// Puts together what a trace tells of races, as a report does.
class FilmRaces {
 public:
  /// Throws std::runtime_error for what is no record of a race.
  void told(const trace::ToldRace& race);
  /// The races that a report has, with the operations and steps of their examples where the film has these. See
  /// emulator/lab/page/src/film.mjs for the parts.
  nlohmann::ordered_json json(const FilmSize& size) const;

 private:
  struct Access {
    model::OperationIndex operation = model::kInitialValue;
    std::optional<std::uint64_t> step;
  };
  using Example = std::pair<Access, Access>;
  nlohmann::ordered_json json_of(const DataRace& race, const FilmSize& size) const;

  report::Collector collector_;
  /// By what is said of the example.
  std::map<std::string, Example> examples_;
};

}  // namespace heddle::cli
