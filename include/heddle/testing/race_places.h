#pragma once

/// \file
/// Races as a test expects them: by their objects and lines.

#include <heddle/report.h>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace heddle {

/// Where two accesses race: the object, and their lines in the source, in any order.
struct RacePlace {
  std::string object;
  std::uint32_t line = 0;
  std::uint32_t other_line = 0;
};

/// All places where something races, to be compared with those that a test expects:
///
///     CHECK(race_places(report.races) == RacePlaces{{"tile", 12, 15}});
///
/// The order in which they are given does not matter, nor does one that is given twice. Printed, they are
/// "'tile' in lines 12 and 15", one behind the other, or "no race".
class RacePlaces {
 public:
  RacePlaces() = default;
  RacePlaces(std::initializer_list<RacePlace> places) : RacePlaces(std::vector<RacePlace>(places)) {}
  explicit RacePlaces(std::vector<RacePlace> places);

  /// In order, each once; of the two lines `line` is the smaller one.
  const std::vector<RacePlace>& places() const { return places_; }
  friend bool operator==(const RacePlaces& a, const RacePlaces& b);

 private:
  std::vector<RacePlace> places_;
};

std::ostream& operator<<(std::ostream& out, const RacePlaces& places);

/// The places of these races, of those that reports put together with them, and of all objects that they race in.
RacePlaces race_places(const std::vector<DataRace>& races);
/// The places of the races that count.
RacePlaces race_places(const RaceReport& report);

}  // namespace heddle
