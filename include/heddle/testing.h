#pragma once

/// \file
/// For unit tests of kernels: what a framework of tests prints of heddle's values, and races as a test expects them.
/// Catch2 and GoogleTest both print what has an `operator<<`.

#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <heddle/memory_order.h>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace heddle {

/// Each value by the name that it has in C++, without that of its type ("Emulated"); semantics with '|' between them
/// ("Release|UniformMemory"); a finding's kind as reports spell it ("data race"). A number that is no value is printed
/// as a number.
std::ostream& operator<<(std::ostream& out, FindingKind kind);
std::ostream& operator<<(std::ostream& out, Scope scope);
std::ostream& operator<<(std::ostream& out, StorageClass storage_class);
std::ostream& operator<<(std::ostream& out, MemorySemantics semantics);
std::ostream& operator<<(std::ostream& out, MemoryOrder order);
std::ostream& operator<<(std::ostream& out, OperationKind kind);
std::ostream& operator<<(std::ostream& out, ImageDim dim);
std::ostream& operator<<(std::ostream& out, Mode mode);
std::ostream& operator<<(std::ostream& out, LaneMapping mapping);
std::ostream& operator<<(std::ostream& out, WorkgroupOrder order);
std::ostream& operator<<(std::ostream& out, SameValueWrites called);
std::ostream& operator<<(std::ostream& out, ReportFormat format);
std::ostream& operator<<(std::ostream& out, ChoicePoint point);
/// As to_string.
std::ostream& operator<<(std::ostream& out, const Coordinates& coordinates);
std::ostream& operator<<(std::ostream& out, const Finding& finding);
std::ostream& operator<<(std::ostream& out, const DataRace& race);
std::ostream& operator<<(std::ostream& out, const SeedFailure& failure);
/// "100 trials, 1 failed", and the failures.
std::ostream& operator<<(std::ostream& out, const SeedReport& report);

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
