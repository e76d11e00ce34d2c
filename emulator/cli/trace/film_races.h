#pragma once

/// \file
/// The data races that a trace tells of, each with the two operations of its example.

#include <heddle/report.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "emulator/report/collector.h"
#include "emulator/trace/components.h"

namespace heddle::cli {

/// Puts together what a trace tells of races, as a report does.
class FilmRaces {
 public:
  /// Throws std::runtime_error for what is no record of a race.
  void told(const trace::ToldRace& race);
  /// The race that a report has, with the operations of its example where these are among the first `operations`. See
  /// emulator/lab/page/src/film.mjs for the parts.
  nlohmann::ordered_json json(std::size_t operations) const;

 private:
  struct Operations {
    model::OperationIndex first = model::kInitialValue;
    model::OperationIndex second = model::kInitialValue;
  };
  nlohmann::ordered_json json_of(const DataRace& race, std::size_t operations) const;

  report::Collector collector_;
  /// By the example.
  std::map<std::string, Operations> operations_;
};

}  // namespace heddle::cli
